#include "rules/kit/loading/windows_search.h"

#include <algorithm>

#include "base/text.h"
#include "base/windows/path.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/search_fixes.h"

namespace culprit::rules {
namespace {

bool Names(std::string_view path_variable, std::string_view directory) {
  const auto directories = base::SplitWindowsPath(path_variable);
  return std::ranges::any_of(directories,
                             [&](const std::string& element) { return base::SameName(element, directory); });
}

}  // namespace

MissedSearch HowItIsMissed(const Scene& scene, const FailedLoad& failed) {
  if (!scene.OnWindows() || failed.why != Why::kElsewhere) return {};
  const snapshot::WindowsFacts& windows = *scene.snapshot.windows();
  const bool searched = SearchesPath(*failed.request);
  for (const loader::LibraryCopy& copy : failed.copies) {
    const std::string directory(base::DirName(copy.path));
    if (!searched && Names(scene.Variable("PATH"), directory)) {
      return {Missed::kPathLeftOut, directory, ""};
    }
    if (!searched || Names(scene.Variable("PATH"), directory)) continue;
    if (windows.user_path && Names(*windows.user_path, directory)) {
      return {Missed::kNewShell, directory, "the user's PATH (" + windows.user_path.source + ")"};
    }
    if (windows.machine_path && Names(*windows.machine_path, directory)) {
      return {Missed::kNewShell, directory, "the machine's PATH (" + windows.machine_path.source + ")"};
    }
  }
  return {Missed::kNotSearched, std::string(base::DirName(failed.copies.front().path)), ""};
}

}  // namespace culprit::rules

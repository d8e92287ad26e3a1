// CUL5028: a DLL path of 260 characters or more.
#include "base/windows/path.h"
#include "rules/rule.h"

namespace culprit::rules::dll_path_too_long {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A framework DLL has a path of 260 characters or more, and long paths are not enabled.

## Why it breaks
Without LongPathsEnabled, and in programs that do not declare long path support, such files cannot be opened: installers
leave them out, and loads fail with 126 or 206 although the file is there.

## How culprit knows
The length of the paths that the framework's import would load, and LongPathsEnabled in the registry.

## Fix
Install into a shorter directory (C:\venv), or enable long paths: HKLM\SYSTEM\CurrentControlSet\Control\FileSystem,
LongPathsEnabled = 1.

## When this is not your problem
Python 3.6 and later declares long path support; with LongPathsEnabled its own loads work.

## Sources
Microsoft, Maximum Path Length Limitation.
)md";

constexpr size_t kMaxPath = 260;  // with the final NUL

void Check(const Scene& scene, Ruling& ruling) {
  if (scene.snapshot.windows()->long_paths) return;
  for (const loader::Scenario& scenario : scene.scenarios) {
    for (const loader::Object& object : scenario.graph.objects) {
      const size_t length = base::ToWindowsPath(object.path).size();
      if (length < kMaxPath) continue;
      report::Finding& finding = ruling.Fire(
          "a DLL path has " + std::to_string(length) + " characters; the limit here is 259", object.path);
      finding.affects.push_back(scenario.title);
      finding.evidence.push_back({object.path, "predicted by the loader model"});
      finding.evidence.push_back({"LongPathsEnabled is not set", "registry"});
      finding.fix = {
          .text = "install into a shorter directory, or enable long paths (as administrator) and restart",
          .commands = {"reg add HKLM\\SYSTEM\\CurrentControlSet\\Control\\FileSystem /v LongPathsEnabled /t "
                       "REG_DWORD /d 1 /f"},
          .risk = report::Risk::kLow,
          .changes = {report::SetRegistry{"HKLM/SYSTEM/CurrentControlSet/Control/FileSystem",
                                          "LongPathsEnabled", "1"}}};
      break;
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5028",
                           .name = "dll_path_too_long",
                           .family = Family::kLoading,
                           .cause = "search-path",
                           .severity = report::Severity::kWarning,
                           .where = Where::kWindows,
                           .since = "0.4.0",
                           .title = "a DLL path is longer than Windows allows by default",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::dll_path_too_long

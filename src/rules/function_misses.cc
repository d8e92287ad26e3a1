#include "rules/function_misses.h"

#include <algorithm>

#include "base/text.h"
#include "knowledge/libraries.h"
#include "loader/library_copies.h"
#include "rules/load_facts.h"
#include "rules/load_fixes.h"

namespace culprit::rules {
namespace {

bool IsCudnn(const std::string& path) {
  const knowledge::Library* library = knowledge::FindLibrary(base::BaseName(path));
  return library != nullptr && library->family == "cudnn";
}

std::string WithVersion(const Scene& scene, const std::string& path) {
  const auto version = scene.view.Version(path);
  return path + (version && !version->version.empty() ? " (" + version->version + ")" : "");
}

// A directory that holds the caller's own release of the DLL.
std::string BetterCopy(const Scene& scene, const FunctionMiss& miss) {
  const auto wanted = scene.view.Version(miss.importer);
  if (!wanted || wanted->version.empty()) return "";
  const auto directories = loader::LibraryDirectories(scene.snapshot, scene.view);
  for (const auto& copy : loader::FindCopies(directories, scene.view, base::BaseName(miss.dll))) {
    const auto version = scene.view.Version(copy.path);
    if (copy.path != miss.dll && version && version->version == wanted->version) return copy.path;
  }
  return "";
}

}  // namespace

std::vector<FunctionMiss> FunctionMisses(const Scene& scene) {
  std::vector<FunctionMiss> misses;
  for (const loader::Scenario& scenario : scene.scenarios) {
    for (const loader::MissingExport& missing : scenario.graph.missing_exports) {
      const auto same = [&](const FunctionMiss& miss) {
        return miss.scenario == &scenario && miss.importer == missing.importer && miss.dll == missing.dll;
      };
      auto known = std::ranges::find_if(misses, same);
      if (known == misses.end()) {
        known = misses.insert(misses.end(), {.scenario = &scenario,
                                             .importer = missing.importer,
                                             .dll = missing.dll,
                                             .functions = {},
                                             .cudnn = IsCudnn(missing.importer) && IsCudnn(missing.dll)});
      }
      known->functions.push_back(missing.function);
    }
  }
  return misses;
}

void Fire(const Scene& scene, const FunctionMiss& miss, Ruling& ruling) {
  const std::string& function = miss.functions.front();
  report::Finding& finding =
      ruling.Fire(std::string(base::BaseName(miss.importer)) + " needs " + function + ", and " +
                      WithVersion(scene, miss.dll) + " does not have it (error 127)",
                  miss.dll);
  finding.affects.push_back(miss.scenario->title);
  const size_t others = miss.functions.size() - 1;
  finding.evidence.push_back(
      {WithVersion(scene, miss.importer) + " imports " + function +
           (others == 0 ? "" : " and " + std::to_string(others) + " more that are missing"),
       "imports of " + miss.importer});
  finding.evidence.push_back({miss.dll + " is found through " + FoundThrough(miss.scenario->graph, miss.dll) +
                                  " and does not export it",
                              "exports of " + miss.dll});
  const std::string better = BetterCopy(scene, miss);
  if (!better.empty()) {
    const auto version = scene.view.Version(better);
    finding.evidence.push_back({better + " is " + version->version + " and would fit", version.source});
  }
  finding.fix = {.text = "take all these DLLs from one release" +
                         (better.empty() ? ": install that of " + miss.importer + " as a whole" : "") +
                         "; remove " + miss.dll + ", or let another directory come before it on PATH",
                 .commands = {"culprit why " + std::string(base::BaseName(miss.dll))},
                 .risk = "low"};
  if (!better.empty()) {
    finding.fix.commands.insert(finding.fix.commands.begin(),
                                "set \"PATH=" + std::string(base::DirName(better)) + ";%PATH%\"");
  }
}

}  // namespace culprit::rules

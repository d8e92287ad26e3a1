// CUL5022: a Visual C++ runtime DLL is not found.
#include <algorithm>

#include "base/text.h"
#include "base/windows/path.h"
#include "knowledge/windows.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/loading/failed_loads.h"

namespace culprit::rules::vc_runtime_missing {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A program, framework or CUDA DLL needs a Microsoft Visual C++ runtime DLL (vcruntime140.dll, vcruntime140_1.dll,
msvcp140.dll ...) that the search does not find on this machine.

## Why it breaks
"[WinError 126] The specified module could not be found. Error loading ...\torch\lib\c10.dll or one of its dependencies", "DLL load
failed while importing ...". The message names the file that needs it.

## How culprit knows
culprit simulates how the Windows loader resolves the dependencies of each file. In a tree without a Windows directory
it assumes that the DLLs of Windows itself are there, but never the runtime.

## Fix
Install the Microsoft Visual C++ Redistributable (x64). Do not get single DLLs from a download site.

## When this is not your problem
Pythons from python.org and conda bundle vcruntime140.dll next to python.exe, which everything they load uses;
msvcp140.dll is not included.

## Sources
Microsoft, Visual C++ Redistributable latest supported downloads; torch/__init__.py of torch 2.x.
)md";

bool IsRuntime(const FailedLoad& failed) {
  return failed.redistributable != nullptr &&
         failed.redistributable->kind == knowledge::RedistributableKind::kVisualCpp;
}

// The missing DLLs, those of one package together: one installation brings them all.
std::vector<std::vector<FailedLoad>> ByPackage(const Scene& scene) {
  std::vector<std::vector<FailedLoad>> packages;
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (!IsRuntime(failed) || (failed.why != Why::kNowhere && failed.why != Why::kElsewhere)) continue;
    auto same = std::ranges::find_if(packages, [&](const std::vector<FailedLoad>& package) {
      return package.front().redistributable->package == failed.redistributable->package;
    });
    if (same == packages.end()) same = packages.insert(packages.end(), std::vector<FailedLoad>());
    same->push_back(failed);
  }
  return packages;
}

// Each name once, whatever its case.
std::vector<std::string> NamesOf(const std::vector<FailedLoad>& package) {
  std::vector<std::string> names;
  for (const FailedLoad& failed : package) {
    const std::string name(base::BaseName(failed.request->name));
    const auto same = [&](const std::string& other) { return base::SameName(name, other); };
    if (std::ranges::none_of(names, same)) names.push_back(name);
  }
  return names;
}

// "msvcp140.dll, which X needs, is not found", "msvcp140.dll and vcruntime140.dll, which X needs, are not
// found".
std::string Summary(const std::vector<FailedLoad>& package, const std::vector<std::string>& names) {
  std::string text = names.front();
  for (size_t i = 1; i < names.size(); ++i) text += (i + 1 == names.size() ? " and " : ", ") + names[i];
  return text + ", which " + package.front().asker + " needs, " + (names.size() == 1 ? "is" : "are") +
         " not found (error 126)";
}

void AddEvidence(const std::vector<FailedLoad>& package, report::Finding& finding) {
  for (const FailedLoad& failed : package) {
    const report::Evidence needs{failed.asker + " needs " + failed.request->name,
                                 "imports of " + failed.asker};
    if (std::ranges::find(finding.evidence, needs) == finding.evidence.end())
      finding.evidence.push_back(needs);
    if (std::ranges::find(finding.affects, failed.scenario->title) == finding.affects.end())
      finding.affects.push_back(failed.scenario->title);
    for (const loader::LibraryCopy& copy : failed.copies) {
      const report::Evidence there{copy.path + " exists but is not searched", copy.path};
      if (std::ranges::find(finding.evidence, there) == finding.evidence.end())
        finding.evidence.push_back(there);
    }
  }
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const std::vector<FailedLoad>& package : ByPackage(scene)) {
    const FailedLoad& first = package.front();
    const std::vector<std::string> names = NamesOf(package);
    const std::string& name = names.front();
    report::Finding& finding = Fire(ruling, first, Summary(package, names), name, {first.asker});
    finding.about.insert(finding.about.end(), names.begin() + 1, names.end());
    finding.evidence.push_back({name + " comes with " + std::string(first.redistributable->package),
                                std::string(first.redistributable->source)});
    AddEvidence(package, finding);
    const std::string& windows = scene.snapshot.windows()->directory;
    if (!scene.snapshot.windows()->present) {
      finding.evidence.push_back(
          {"the tree has no Windows directory; a runtime in its machine's System32 would not be seen",
           windows});
    }
    finding.fix = {.text = std::string(first.redistributable->fix),
                   .commands = RuntimeCommands(name),
                   .risk = report::Risk::kLow};
    for (const std::string& dll : names) {
      finding.fix.changes.push_back(report::PutLibrary{.path = base::JoinPath(windows + "/System32", dll)});
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5022",
                           .name = "vc_runtime_missing",
                           .family = Family::kLoading,
                           .cause = "dependent-missing",
                           .severity = report::Severity::kError,
                           .where = Where::kWindows,
                           .since = "0.4.0",
                           .title = "the Visual C++ runtime is missing",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::vc_runtime_missing

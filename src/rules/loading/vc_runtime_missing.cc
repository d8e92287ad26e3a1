// CUL5022: a Visual C++ runtime DLL is not found.
#include "base/text.h"
#include "base/windows_path.h"
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

void Check(const Scene& scene, Ruling& ruling) {
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (!IsRuntime(failed) || (failed.why != Why::kNowhere && failed.why != Why::kElsewhere)) continue;
    const std::string name(base::BaseName(failed.request->name));
    report::Finding& finding =
        Fire(ruling, failed, name + ", which " + failed.asker + " needs, is not found (error 126)", name,
             {failed.asker});
    finding.evidence.push_back({name + " comes with " + std::string(failed.redistributable->package),
                                std::string(failed.redistributable->source)});
    for (const loader::LibraryCopy& copy : failed.copies) {
      finding.evidence.push_back({copy.path + " exists but is not searched", copy.path});
    }
    if (!scene.snapshot.windows()->present) {
      finding.evidence.push_back(
          {"the tree has no Windows directory; a runtime in its machine's System32 would not be seen",
           scene.snapshot.windows()->directory});
    }
    finding.fix = {.text = std::string(failed.redistributable->fix),
                   .commands = RuntimeCommands(name),
                   .risk = report::Risk::kLow,
                   .changes = {report::PutLibrary{
                       .path = base::JoinPath(scene.snapshot.windows()->directory + "/System32", name)}}};
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

// CUL5022: a DLL of the Visual C++ runtime is not found.
#include "base/text.h"
#include "base/windows_path.h"
#include "knowledge/windows.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/loading/failed_loads.h"

namespace culprit::rules::vc_runtime_missing {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A program, a framework or a DLL of CUDA needs a DLL of Microsoft's Visual C++ runtime (vcruntime140.dll, vcruntime140_1.dll,
msvcp140.dll ...) which is not on the machine where it is looked for.

## Why it breaks
"[WinError 126] The specified module could not be found. Error loading ...\torch\lib\c10.dll or one of its dependencies", "DLL load
failed while importing ...". The message names the file that needs it.

## How culprit knows
The dependencies of each file are played through a model of the Windows loader. In a tree without a Windows directory the DLLs of
Windows itself are assumed to be there; the runtime never is.

## Fix
Install the Microsoft Visual C++ Redistributable (x64). Take no single DLL from a download site.

## When this is not your problem
Pythons of python.org and conda bring vcruntime140.dll beside python.exe, which serves everything that they load; msvcp140.dll is
not among it.

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
        Fire(ruling, failed, name + ", which " + failed.asker + " needs, is not found (error 126)", name);
    finding.evidence.push_back({name + " comes with " + std::string(failed.redistributable->package),
                                std::string(failed.redistributable->source)});
    for (const loader::LibraryCopy& copy : failed.copies) {
      finding.evidence.push_back({copy.path + " is there, where it is not looked for", copy.path});
    }
    if (!scene.snapshot.windows()->present) {
      finding.evidence.push_back(
          {"the tree has no Windows directory; a runtime in the System32 of its machine was not seen",
           scene.snapshot.windows()->directory});
    }
    finding.fix = {.text = std::string(failed.redistributable->fix),
                   .commands = RuntimeCommands(name),
                   .risk = "low",
                   .changes = {report::PutLibrary{
                       .path = base::JoinPath(scene.snapshot.windows()->directory + "/System32", name)}}};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5022",
                           .name = "vc_runtime_missing",
                           .cause = "dependent-missing",
                           .severity = report::Severity::kError,
                           .where = Where::kWindows,
                           .since = "0.4.0",
                           .title = "the Visual C++ runtime is missing",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::vc_runtime_missing

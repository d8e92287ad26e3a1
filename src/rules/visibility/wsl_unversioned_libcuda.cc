// CUL2011: in WSL, libcuda.so without a version is not found.
#include "base/text.h"
#include "knowledge/libraries.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/kit/load_fixes.h"
#include "rules/rule.h"

namespace culprit::rules::wsl_unversioned_libcuda {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A library opens libcuda.so, without a version. In WSL only libcuda.so.1 is in the loader's cache.

## Why it breaks
ldconfig records a library by its soname, libcuda.so.1. The loader finds the name libcuda.so only in directories on its search
path: "Could not load library libcudnn_cnn_infer.so.8. Error: libcuda.so: cannot open shared object file".

## How culprit knows
When culprit simulates loading a framework, a dlopen of libcuda.so finds no file, while libcuda.so.1 is found in
/usr/lib/wsl/lib.

## Fix
Add /usr/lib/wsl/lib to LD_LIBRARY_PATH; it contains only the driver.

## When this is not your problem
Your libraries open libcuda.so.1, as cuDNN 9.3 and newer does.

## Sources
microsoft/WSL issue 8587; ldconfig(8).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  if (!Circumstances(scene).wsl) return ruling.NotApplicable();
  const auto& driver = scene.stack().driver;
  if (driver && FindDriverLibrary(*driver) == nullptr) return;  // no libcuda under any name: CUL2010
  for (const loader::Scenario& scenario : scene.scenarios) {
    if (!FindLoaded(scene, scenario, "libcuda.so")) continue;  // not under the other name either: CUL1026
    for (const loader::Request& request : scenario.graph.requests) {
      if (request.name != "libcuda.so" || request.object != loader::kNone || request.alternative) continue;
      const std::string who = request.requester < scenario.graph.objects.size()
                                  ? scenario.graph.objects[request.requester].path
                                  : request.requester_path;
      report::Finding& finding =
          ruling.Fire(who + " opens libcuda.so, which WSL provides only as libcuda.so.1", who);
      // Runtime compilation alone opens it, and there are other engines.
      const knowledge::Library* library = knowledge::FindLibrary(base::BaseName(who));
      if (library != nullptr && library->family == "cudnn" && MajorOfName(base::BaseName(who)) >= 9)
        finding.severity = report::Severity::kNote;
      finding.affects.push_back(scenario.title);
      finding.evidence.push_back({"libcuda.so is not found", "the loader's search"});
      finding.evidence.push_back({"this is WSL", "/proc/sys/kernel/osrelease"});
      finding.fix = {
          .text = "add the Windows driver's directory to the search path; it contains nothing else",
          .commands = {"export LD_LIBRARY_PATH=/usr/lib/wsl/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"},
          .risk = report::Risk::kLow,
          .changes = {report::AddToList{"LD_LIBRARY_PATH", "/usr/lib/wsl/lib"}}};
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL2011",
                           .name = "wsl_unversioned_libcuda",
                           .family = Family::kVisibility,
                           .cause = "wsl",
                           .severity = report::Severity::kWarning,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "a library opens libcuda.so, which WSL does not provide under that name",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::wsl_unversioned_libcuda

// CUL3001: a program needs cuDNN, but none is installed.
#include "rules/kit/load_fixes.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/rule.h"

namespace culprit::rules::cudnn_missing {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A program, or a framework at import, needs libcudnn.so.N. There is no cuDNN on the loader's search path or in the usual
directories for CUDA libraries.

## Why it breaks
"libcudnn.so.9: cannot open shared object file: No such file or directory". Some frameworks continue without the GPU
and say so only in a log.

## How culprit knows
It simulates the load with a model of the dynamic loader, then lists the directories where cuDNN is usually installed:
toolkits, distribution directories, Python environments, LD_LIBRARY_PATH, ld.so.cache.

## Fix
Install cuDNN in the required major version. In a Python environment the wheel nvidia-cudnn-cuNN is enough if the framework
looks for it there. Do not symlink the name to another library.

## When this is not your problem
A CPU-only build never loads cuDNN. A framework that bundles cuDNN finds it next to itself.

## Sources
ld.so(8) and the source of glibc (elf/dl-load.c); install guide of cuDNN.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  NoteUncertain(scene, ruling);
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (!failed.IsCudnnShim() || failed.why != Why::kNowhere) continue;
    report::Finding& finding =
        Fire(ruling, failed, failed.request->name + " is required, but no cuDNN is installed",
             failed.request->name);
    finding.evidence.push_back({std::string("no file named ") +
                                    (scene.OnWindows() ? "cudnn64_*.dll" : "libcudnn.so*") +
                                    " in any searched or usual directory",
                                "library directories"});
    finding.fix = Install(scene, failed);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL3001",
                           .name = "cudnn_missing",
                           .family = Family::kCudnn,
                           .cause = "cudnn-missing",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "a program needs cuDNN, but none is installed",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cudnn_missing

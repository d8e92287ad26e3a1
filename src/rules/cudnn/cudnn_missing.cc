// CUL3001: a program asks for cuDNN and no cuDNN is on the machine.
#include "rules/kit/load_fixes.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/rule.h"

namespace culprit::rules::cudnn_missing {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A program, or a framework at its import, asks for libcudnn.so.N. Neither the places that the loader searches nor the
usual places for CUDA libraries hold any cuDNN.

## Why it breaks
"libcudnn.so.9: cannot open shared object file: No such file or directory". Some frameworks go on without the GPU
and say so only in a log.

## How culprit knows
It plays the load through a model of the dynamic loader, then lists the directories in which cuDNN is commonly
installed: toolkits, distribution directories, Python environments, LD_LIBRARY_PATH, ld.so.cache.

## Fix
Install cuDNN of the major version that is asked for. In a Python environment the wheel nvidia-cudnn-cuNN is enough
where the framework looks for it. Do not link another library to the name.

## When this is not your problem
A build for CPUs never asks. A framework that brings its own cuDNN finds it beside itself.

## Sources
ld.so(8) and the source of glibc (elf/dl-load.c); install guide of cuDNN.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  NoteUncertain(scene, ruling);
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (!failed.IsCudnnShim() || failed.why != Why::kNowhere) continue;
    report::Finding& finding =
        Fire(ruling, failed, failed.request->name + " is asked for, and no cuDNN is on this machine",
             failed.request->name);
    finding.evidence.push_back({std::string("no file named ") +
                                    (scene.OnWindows() ? "cudnn64_*.dll" : "libcudnn.so*") +
                                    " in any searched or usual directory",
                                "directories of libraries"});
    finding.fix = Install(scene, failed);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL3001",
                           .name = "cudnn_missing",
                           .cause = "cudnn-missing",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "a program asks for cuDNN and no cuDNN is on the machine",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cudnn_missing

// CUL4006: a CUDA library that is asked for is nowhere on the machine.
#include "rules/cudnn_facts.h"
#include "rules/failed_loads.h"
#include "rules/load_fixes.h"
#include "rules/rule.h"
#include "rules/table.h"

namespace culprit::rules {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A program needs a library of CUDA (cuBLAS, the runtime, cuFFT ...) of a certain generation, and no copy of any
generation is installed.

## Why it breaks
"libcublas.so.12: cannot open shared object file: No such file or directory". The driver does not bring these: they
come with the toolkit, with wheels, or with conda packages.

## How culprit knows
The load is played through a model of the loader; then the directories in which CUDA libraries are commonly
installed are listed.

## Fix
Install the package that brings it, of the CUDA generation that the name tells. The number of a soname is not always
the CUDA version: libcufft.so.11 belongs to CUDA 12.

## When this is not your problem
A build for CPUs never asks.

## Sources
File lists of the nvidia-* wheels; ld.so(8) and the source of glibc (elf/dl-load.c).
)md";

bool Mine(const Scene& scene, const FailedLoad& failed) {
  if (failed.library == nullptr || failed.IsCudnn() || failed.library->name == "nvrtc-builtins") return false;
  return !ExplainedByCudnnForAnotherCuda(scene, failed);
}

void Check(const Scene& scene, Ruling& ruling) {
  NoteUncertain(scene, ruling);
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (failed.why != Why::kNowhere || !Mine(scene, failed)) continue;
    const std::string cuda = CudaOfSoname(*failed.library, failed.request->name);
    report::Finding& finding = Fire(ruling, failed,
                                    failed.request->name + (cuda.empty() ? "" : " (CUDA " + cuda + ")") +
                                        " is asked for and is nowhere on this machine",
                                    failed.request->name);
    finding.evidence.push_back(
        {"no copy of it in any searched or usual directory", "directories of libraries"});
    finding.fix = Install(scene, failed);
  }
}

}  // namespace

const Rule kCudaLibraryMissing = {.code = "CUL4006",
                                  .name = "cuda_library_missing",
                                  .cause = "cuda-library-missing",
                                  .severity = report::Severity::kError,
                                  .since = "0.2.0",
                                  .title = "a CUDA library that is asked for is nowhere on the machine",
                                  .page = kPage,
                                  .check = Check};

}  // namespace culprit::rules

// CUL4007: a CUDA library is on disk, where the loader does not look.
#include "base/text.h"
#include "rules/kit/cudnn/cudnn_facts.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/kit/search_fixes.h"
#include "rules/rule.h"

namespace culprit::rules::cuda_library_not_searched {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The library that the program asks for is installed, but in a directory that the loader does not search for this program.

## Why it breaks
The loader looks into the run paths of the file that asks, LD_LIBRARY_PATH, ld.so.cache and the directories of the
system. /usr/local/cuda/lib64 is none of these unless someone said so.

## How culprit knows
The search is played with every place that is tried; the copy was found among the usual directories for CUDA libraries.

## Fix
Name the directory: with ldconfig where it is a directory of the system, otherwise for that one program.

## When this is not your problem
Frameworks that preload their own copies by path need no search path; those loads succeed and are not reported.

## Sources
ld.so(8) and the source of glibc (elf/dl-load.c).
)md";

bool Mine(const Scene& scene, const FailedLoad& failed) {
  if (failed.library == nullptr || failed.IsCudnn() || failed.library->name == "nvrtc-builtins") return false;
  return !ExplainedByCudnnForAnotherCuda(scene, failed);
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (failed.why != Why::kElsewhere || !Mine(scene, failed)) continue;
    FireNotSearched(scene, failed, ruling);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL4007",
                           .name = "cuda_library_not_searched",
                           .cause = "search-path",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "a CUDA library is on disk, where the loader does not look",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cuda_library_not_searched

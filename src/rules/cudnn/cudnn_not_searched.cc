// CUL3007: cuDNN is on disk, where the loader does not look.
#include "base/text.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/kit/search_fixes.h"
#include "rules/rule.h"

namespace culprit::rules::cudnn_not_searched {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The cuDNN that the program asks for is installed, but in a directory that the loader does not search for this program.

## Why it breaks
The loader looks into the run paths of the file that asks, LD_LIBRARY_PATH, ld.so.cache and the directories of the
system. It does not look into /usr/local/cuda, into a conda prefix or into another Python package by itself.

## How culprit knows
The search is played with every place that is tried; the copy was found among the usual directories for CUDA
libraries.

## Fix
Name the directory: with ldconfig where it is a directory of the system, otherwise for that one program. Do not export
LD_LIBRARY_PATH for the whole shell: it wins over the cuDNN that other programs bring along.

## When this is not your problem
Copies of cuDNN that no program of yours asks for need no search path.

## Sources
ld.so(8) and the source of glibc (elf/dl-load.c).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (!failed.IsCudnnShim() || failed.why != Why::kElsewhere) continue;
    FireNotSearched(scene, failed, ruling);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL3007",
                           .name = "cudnn_not_searched",
                           .cause = "search-path",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "cuDNN is on disk, where the loader does not look",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cudnn_not_searched

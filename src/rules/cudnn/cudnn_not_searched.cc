// CUL3007: cuDNN is in a directory that the loader does not search.
#include "base/text.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/kit/search_fixes.h"
#include "rules/rule.h"

namespace culprit::rules::cudnn_not_searched {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The cuDNN that the program needs is installed, but in a directory that the loader does not search for this program.

## Why it breaks
The loader searches the RPATH or RUNPATH of the requesting file, LD_LIBRARY_PATH, ld.so.cache and the system directories. By
itself it does not search /usr/local/cuda, a conda prefix or another Python package.

## How culprit knows
The loader model tries every directory of the search. The copy was found in one of the usual directories for CUDA
libraries, in the program's own folders (lib and lib64 next to its bin), or where a run path would point if its prefix
had not been moved.
## Fix
Add the directory to the search path: with ldconfig if it is a system directory, otherwise for that one program. Do not
export LD_LIBRARY_PATH for the whole shell: it shadows the cuDNN that other programs bundle.

## When this is not your problem
None of your programs needs this copy of cuDNN.

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
                           .family = Family::kCudnn,
                           .cause = "search-path",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "cuDNN is in a directory that the loader does not search",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cudnn_not_searched

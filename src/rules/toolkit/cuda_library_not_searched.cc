// CUL4007: a CUDA library is in a directory that the loader does not search.
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
The library that the program needs is installed, but in a directory that the loader does not search for this program.

## Why it breaks
The loader searches the RPATH or RUNPATH of the requesting file, LD_LIBRARY_PATH, ld.so.cache and the system directories.
/usr/local/cuda/lib64 is none of these unless you add it.

## How culprit knows
The loader model tries every directory of the search. The copy was found in one of the usual directories for CUDA
libraries, in the program's own folders (lib and lib64 next to its bin), or where a run path would point if its prefix
had not been moved.
## Fix
Add the directory to the search path: with ldconfig if it is a system directory, otherwise for that one program.

## When this is not your problem
The framework preloads its own copies by path: those loads succeed, and the rule does not report them.

## Sources
ld.so(8) and the source of glibc (elf/dl-load.c).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (failed.why != Why::kElsewhere || !IsOfToolkit(scene, failed)) continue;
    FireNotSearched(scene, failed, ruling);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL4007",
                           .name = "cuda_library_not_searched",
                           .family = Family::kToolkit,
                           .cause = "search-path",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "a CUDA library is in a directory that the loader does not search",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cuda_library_not_searched

// CUL5020: a library of another version stands under the name: error 127 of Windows, "undefined symbol" of
// Linux.
#include "base/text.h"
#include "knowledge/libraries.h"
#include "rules/kit/loading/function_misses.h"
#include "rules/kit/loading/symbol_misses.h"

namespace culprit::rules::cuda_function_missing {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A library is found, and it does not have a function that the library or program which needs it calls: it is of another version, or
another thing of the same name.

## Why it breaks
On Windows "[WinError 127] The specified procedure could not be found", "The procedure entry point ... could not be located in the
dynamic link library". On Linux "undefined symbol: __nvJitLinkCreate_12_4, version libnvJitLink.so.12": file names are the same for a
whole CUDA major, so the loader takes a nvJitLink of 12.1 for a cuSPARSE of 12.4. The message names the file that calls.

## How culprit knows
What each library that would be loaded asks of another one is held against what the file has that wins the search for its name.
On Linux this is done for functions whose symbol version is the name of a library, as in all libraries of CUDA since 11.

## Fix
Let the right library win: take the directory of the other one out of PATH or LD_LIBRARY_PATH or from before it, remove a copy that
stands beside the program, or install the release that the framework pins.

## When this is not your problem
On Windows DLLs that are loaded at their first call (delay-loaded) are not held against each other. A library that was patched to
export what it lacks.

## Sources
Microsoft, System Error Codes (127, 182); Microsoft, PE Format (import and export tables); elf/dl-lookup.c of glibc; symbol tables of
nvidia-cusparse-cu12 12.1 to 12.5 and nvidia-nvjitlink-cu12 12.0 to 12.9.
)md";

const knowledge::Library* Of(const std::string& path) { return knowledge::FindLibrary(base::BaseName(path)); }

// Parts of cuDNN are held against each other by their versions, and so are cuBLAS and cuBLASLt where these
// are known.
bool HasOwnRule(const Scene& scene, const FunctionMiss& miss) {
  const auto *dll = Of(miss.dll), *importer = Of(miss.functions.front().importer);
  if (dll == nullptr || importer == nullptr) return false;
  if (dll->family == "cudnn") return true;
  return dll->name == "cublasLt" && importer->name == "cublas" && scene.view.Version(miss.dll) &&
         scene.view.Version(miss.functions.front().importer);
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const FunctionMiss& miss : FunctionMisses(scene)) {
    if (miss.cudnn) continue;
    if (scene.OnWindows()) {
      Fire(scene, miss, ruling);
    } else if (!HasOwnRule(scene, miss)) {
      FireSymbolMiss(scene, miss, ruling);
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5020",
                           .name = "cuda_function_missing",
                           .cause = "cuda-mixed-versions",
                           .severity = report::Severity::kError,
                           .since = "0.4.0",
                           .title = "a library lacks a function that another one needs",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cuda_function_missing

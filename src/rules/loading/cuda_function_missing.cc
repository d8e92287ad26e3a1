// CUL5020: a library of the wrong version is loaded: error 127 on Windows, "undefined symbol" on Linux.
#include "base/text.h"
#include "knowledge/libraries.h"
#include "rules/kit/loading/function_misses.h"
#include "rules/kit/loading/symbol_misses.h"
#include "rules/kit/loading/undefined_symbols.h"

namespace culprit::rules::cuda_function_missing {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A library is found, but it lacks a function that another library or program calls: it is a different version, or
something else with the same name.

## Why it breaks
On Windows "[WinError 127] The specified procedure could not be found", "The procedure entry point ... could not be
located in the dynamic link library". On Linux "undefined symbol: __nvJitLinkCreate_12_4, version libnvJitLink.so.12":
file names stay the same for a whole CUDA major, so the loader accepts nvJitLink 12.1 for cuSPARSE 12.4. The message
names the calling file.

## How culprit knows
culprit compares what each loaded library imports with what the file that wins the search exports. On Linux, a
function whose symbol version is the name of a library (as in all CUDA libraries since 11) must be in that library.
Any symbol without a version (NCCL, PyTorch, your own libraries) must be in some library of the process: the program,
what it needs, preloads, and what it opens. If another copy of a needed library on this machine has the symbol, the
loaded copy is the wrong one, and everything that misses a symbol of it is reported as one finding. Calls that are
bound only when they are made count if a CUDA library lacks them.
## Fix
Let the right library win: remove the other directory from PATH or LD_LIBRARY_PATH or move it further back, remove a
copy next to the program, or install the release that the framework pins. An extension that was built for another
release of the framework, or with the other C++ ABI (-D_GLIBCXX_USE_CXX11_ABI), must be built again.
## When this is not your problem
On Windows, delay-loaded DLLs are not compared. A library may also be patched to export what it lacks. If you check a
plug-in alone, the program that loads it may provide what it lacks; culprit then says that it cannot tell. Functions of
Python itself are not compared.

## Sources
Microsoft, System Error Codes (127, 182); Microsoft, PE Format (import and export tables); elf/dl-lookup.c of glibc; symbol tables of
nvidia-cusparse-cu12 12.1 to 12.5 and nvidia-nvjitlink-cu12 12.0 to 12.9.
)md";

const knowledge::Library* Of(const std::string& path) { return knowledge::FindLibrary(base::BaseName(path)); }

// Other rules compare the versions of cuDNN's sub-libraries, and of cuBLAS and cuBLASLt where both are known.
bool HasOwnRule(const Scene& scene, const FunctionMiss& miss) {
  const auto *dll = Of(miss.dll), *importer = Of(miss.functions.front().importer);
  if (dll == nullptr || importer == nullptr) return false;
  if (dll->family == "cudnn") return true;
  return dll->name == "cublasLt" && importer->name == "cublas" && scene.view.Version(miss.dll) &&
         scene.view.Version(miss.functions.front().importer);
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const FunctionMiss& miss : FunctionMisses(scene)) {
    if (miss.of_any) {
      FireUndefined(scene, miss, ruling);
      continue;
    }
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
                           .family = Family::kLoading,
                           .cause = "cuda-mixed-versions",
                           .severity = report::Severity::kError,
                           .since = "0.4.0",
                           .title = "a library lacks a function that another one needs",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cuda_function_missing

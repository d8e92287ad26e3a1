// CUL3015: a cuDNN DLL lacks a function that another one needs (error 127): two releases are mixed.
#include "base/text.h"
#include "base/windows/path.h"
#include "knowledge/libraries.h"
#include "rules/kit/loading/function_misses.h"

namespace culprit::rules::cudnn_function_missing {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A cuDNN DLL is found, but it lacks a function that another cuDNN DLL calls. The two come from different releases.

## Why it breaks
Windows refuses to load the calling DLL: "Could not load library cudnn_cnn_infer64_8.dll. Error code 127", "The specified
procedure could not be found", "The procedure entry point ... could not be located". It names the calling file, not the old one.

## How culprit knows
culprit compares the imports of each DLL that would be loaded with the exports of the DLL that the search finds.

## Fix
Use all cuDNN DLLs from one release: remove the odd ones (usually a few files that were copied into CUDA's bin or System32),
or put the directory of the complete release first on PATH.

## When this is not your problem
Two complete releases in two directories do no harm as long as a process uses only one of them.

## Sources
Microsoft, System Error Codes (127, ERROR_PROC_NOT_FOUND); import and export tables of cuDNN 8.4 and 8.9.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const FunctionMiss& miss : FunctionMisses(scene)) {
    if (miss.cudnn) Fire(scene, miss, ruling);
  }
}

}  // namespace

extern const Rule kRule = {
    .code = "CUL3015",
    .name = "cudnn_function_missing",
    .family = Family::kCudnn,
    .cause = "cudnn-mixed-versions",
    .severity = report::Severity::kError,
    .where = Where::kWindows,
    .since = "0.4.0",
    .title = "a cuDNN DLL lacks a function that another one needs: two releases are mixed",
    .page = kPage,
    .check = Check};

}  // namespace culprit::rules::cudnn_function_missing

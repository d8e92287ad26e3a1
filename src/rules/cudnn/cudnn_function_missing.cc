// CUL3015: parts of two releases of cuDNN, seen by a function that is missing (error 127).
#include "base/text.h"
#include "base/windows_path.h"
#include "knowledge/libraries.h"
#include "rules/kit/loading/function_misses.h"

namespace culprit::rules::cudnn_function_missing {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A DLL of cuDNN is found, and it does not have a function that another DLL of cuDNN calls. The two are of different
releases.

## Why it breaks
Windows refuses to load the DLL that calls: "Could not load library cudnn_cnn_infer64_8.dll. Error code 127", "The specified
procedure could not be found", "The procedure entry point ... could not be located". It names the file that calls, not the old one.

## How culprit knows
The imports of each DLL that would be loaded are held against the exports of the DLL that wins the search for its name.

## Fix
Take all DLLs of cuDNN from one release: remove the odd ones (mostly a few files that were once copied into CUDA's bin or
System32), or put the directory of the complete release first on PATH.

## When this is not your problem
Two complete releases in two directories do no harm as long as one directory serves a process.

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
    .cause = "cudnn-mixed-versions",
    .severity = report::Severity::kError,
    .where = Where::kWindows,
    .since = "0.4.0",
    .title = "a part of cuDNN lacks a function that another part needs: two releases are mixed",
    .page = kPage,
    .check = Check};

}  // namespace culprit::rules::cudnn_function_missing

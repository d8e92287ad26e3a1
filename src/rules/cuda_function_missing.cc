// CUL5020: a DLL of another version stands under the name (error 127).
#include "rules/function_misses.h"
#include "rules/table.h"

namespace culprit::rules {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A DLL is found, and it does not have a function that the DLL or program which needs it calls: it is of another version, or
another thing of the same name.

## Why it breaks
"[WinError 127] The specified procedure could not be found", "The procedure entry point ... could not be located in the dynamic link
library". The message names the file that calls.

## How culprit knows
The imports of each DLL that would be loaded are held against the exports of the DLL that wins the search for its name.

## Fix
Let the right DLL win: take the directory of the other one out of PATH or from before it, remove a copy that stands beside the
program, or update what brings the older one.

## When this is not your problem
DLLs that are loaded at their first call (delay-loaded) are not held against each other.

## Sources
Microsoft, System Error Codes (127, 182); Microsoft, PE Format (import and export tables).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const FunctionMiss& miss : FunctionMisses(scene)) {
    if (!miss.cudnn) Fire(scene, miss, ruling);
  }
}

}  // namespace

const Rule kCudaFunctionMissing = {.code = "CUL5020",
                                   .name = "cuda_function_missing",
                                   .cause = "cuda-mixed-versions",
                                   .severity = report::Severity::kError,
                                   .where = Where::kWindows,
                                   .since = "0.4.0",
                                   .title = "a DLL lacks a function that another one needs",
                                   .page = kPage,
                                   .check = Check};

}  // namespace culprit::rules

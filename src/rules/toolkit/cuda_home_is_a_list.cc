// CUL4003: CUDA_HOME is a list of directories.
#include "base/text.h"
#include "rules/kit/toolkit/toolkit_facts.h"
#include "rules/kit/variables/variable_fixes.h"

namespace culprit::rules::cuda_home_is_a_list {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
CUDA_HOME (or CUDA_PATH) lists several directories separated by colons, as if it were a search path.

## Why it breaks
It must be one directory. Builds look for "/usr/local/cuda-12.4:/usr/local/cuda/bin/nvcc", which does not exist. The usual
reason is `export CUDA_HOME=/usr/local/cuda:$CUDA_HOME` in a startup file, which also grows with every shell.

## How culprit knows
The value contains a colon and is not a directory.

## Fix
Set it to one toolkit.

## When this is not your problem
The directory's name really contains a colon: culprit recognises that.

## Sources
torch/utils/cpp_extension.py.
)md";

constexpr const char* kVariables[] = {"CUDA_HOME", "CUDA_PATH"};

void Check(const Scene& scene, Ruling& ruling) {
  for (const char* name : kVariables) {
    const std::string value(scene.Variable(name));
    if (value.find(':') == std::string::npos || ToolkitAt(scene, value) != nullptr) continue;
    std::string better;
    for (const std::string& element : base::SplitWords(value, ":")) {
      if (better.empty() && ToolkitAt(scene, element) != nullptr) better = element;
    }
    report::Finding& finding =
        ruling.Fire(std::string(name) + "=" + value + " is a list, but must be one directory", name);
    finding.evidence.push_back({std::string(name) + "=" + value, "environment"});
    finding.fix =
        SetOrUnset(scene, name, better,
                   "set it to one toolkit, and fix the line in the startup file that makes it a list");
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL4003",
                           .name = "cuda_home_is_a_list",
                           .family = Family::kToolkit,
                           .explains = Explains::kCompilerFiles | Explains::kCudaFiles | Explains::kFramework,
                           .cause = "toolkit-missing",
                           .severity = report::Severity::kWarning,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "CUDA_HOME is a list of directories",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cuda_home_is_a_list

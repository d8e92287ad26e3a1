// CUL4004: several CUDA toolkits are installed.
#include "rules/kit/toolkit/toolkit_facts.h"
#include "rules/rule.h"

namespace culprit::rules::several_toolkits {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
More than one CUDA toolkit with a compiler is installed.

## Why it breaks
Nothing breaks. Build systems choose one of them by different rules, and not always the one you meant.

## How culprit knows
culprit lists every toolkit. A build uses CUDA_HOME or CUDA_PATH, then the nvcc on PATH, then /usr/local/cuda.

## Fix
To use another one, set CUDA_HOME and put its bin directory first on PATH.

## When this is not your problem
You only run programs that are already built.

## Sources
torch/utils/cpp_extension.py; documentation of CMake (FindCUDAToolkit).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const auto compilers = Compilers(scene);
  if (compilers.size() < 2) return;
  const BuildChoice chosen = ChosenToolkit(scene);
  std::string list;
  for (const snapshot::Toolkit* toolkit : compilers) {
    list += (list.empty() ? "" : ", ") + toolkit->version + " in " + toolkit->root;
  }
  report::Finding& finding =
      ruling.Fire("several CUDA toolkits: " + list +
                      (chosen.toolkit == nullptr ? "" : "; a build uses " + chosen.toolkit->root),
                  "CUDA toolkits");
  for (const snapshot::Toolkit* toolkit : compilers) {
    finding.evidence.push_back({toolkit->root + " is CUDA " + toolkit->version, toolkit->source});
  }
  if (chosen.toolkit != nullptr) {
    finding.evidence.push_back({"a build uses " + chosen.toolkit->root, chosen.because});
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL4004",
                           .name = "several_toolkits",
                           .family = Family::kToolkit,
                           .cause = "toolkit-missing",
                           .severity = report::Severity::kNote,
                           .since = "0.2.0",
                           .title = "several CUDA toolkits are installed",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::several_toolkits

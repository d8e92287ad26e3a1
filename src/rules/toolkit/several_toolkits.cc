// CUL4004: several CUDA toolkits are installed.
#include "rules/kit/toolkit/toolkit_facts.h"
#include "rules/rule.h"

namespace culprit::rules::several_toolkits {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
More than one CUDA toolkit with a compiler is on the machine.

## Why it breaks
It breaks nothing. Builds take one of them by rules that differ between build systems, and not always the one that was
meant.

## How culprit knows
Every toolkit was listed; the choice follows CUDA_HOME or CUDA_PATH, then the nvcc of PATH, then /usr/local/cuda.

## Fix
To take another one, set CUDA_HOME and put its bin directory first in PATH.

## When this is not your problem
Programs that are already built are not concerned.

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
                      (chosen.toolkit == nullptr ? "" : "; a build takes " + chosen.toolkit->root),
                  "CUDA toolkits");
  for (const snapshot::Toolkit* toolkit : compilers) {
    finding.evidence.push_back({toolkit->root + " is CUDA " + toolkit->version, toolkit->source});
  }
  if (chosen.toolkit != nullptr) {
    finding.evidence.push_back({"a build takes " + chosen.toolkit->root, chosen.because});
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL4004",
                           .name = "several_toolkits",
                           .cause = "toolkit-missing",
                           .severity = report::Severity::kNote,
                           .since = "0.2.0",
                           .title = "several CUDA toolkits are installed",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::several_toolkits

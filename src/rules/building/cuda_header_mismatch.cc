// CUL8003: cuda.h beside nvcc is of another release.
#include "rules/kit/toolkit/toolkit_facts.h"
#include "rules/rule.h"

namespace culprit::rules::cuda_header_mismatch {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The headers in a toolkit are of another release than its nvcc: a mixture of two installations.

## Why it breaks
nvcc and the headers check each other: "CUDA compiler and CUDA toolkit headers are incompatible, please check your
include paths". Or the build passes and calls functions that the libraries do not have.

## How culprit knows
CUDA_VERSION in cuda.h against the release that nvcc carries inside.

## Fix
Install the toolkit again as a whole; in a conda environment bring cuda-nvcc and cuda-cudart-dev to one release.

## When this is not your problem
Where nothing is built, neither is used. Wheels of the toolkit (nvidia-cuda-nvcc, nvidia-cuda-runtime) are versioned
apart and not held against each other.

## Sources
crt/host_config.h and cuda_runtime_api.h of CUDA 13.0.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const snapshot::Toolkit* toolkit : Compilers(scene)) {
    if (toolkit->nvcc_version.empty() || toolkit->header_version.empty()) continue;
    if (Release(toolkit->nvcc_version) == Release(toolkit->header_version)) continue;
    // The wheels of a toolkit are versioned apart: a clean install of jax[cuda13] has nvcc 13.4 with
    // cuda.h 13.2.
    if (toolkit->kind == "pip") continue;
    report::Finding& finding = ruling.Fire(toolkit->nvcc + " is " + toolkit->nvcc_version +
                                               ", cuda.h beside it is of CUDA " + toolkit->header_version,
                                           toolkit->root);
    finding.evidence.push_back({toolkit->nvcc + " says V" + toolkit->nvcc_version, toolkit->nvcc});
    finding.evidence.push_back({"CUDA_VERSION of its cuda.h is that of " + toolkit->header_version,
                                toolkit->root + "/include/cuda.h"});
    const std::string release = Release(toolkit->nvcc_version);
    finding.fix = {.text = "install CUDA " + release + " again as a whole into " + toolkit->root,
                   .commands = {"grep -n 'define CUDA_VERSION' " + toolkit->root + "/include/cuda.h"},
                   .risk = "low",
                   .changes = {report::InstallToolkit{
                       Release(toolkit->version) == release ? toolkit->version : release, toolkit->root}}};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL8003",
                           .name = "cuda_header_mismatch",
                           .cause = "header-library-mismatch",
                           .severity = report::Severity::kWarning,
                           .since = "0.2.0",
                           .title = "cuda.h beside nvcc is of another release",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cuda_header_mismatch

// CUL8003: nvcc and cuda.h come from different releases.
#include "base/text.h"
#include "rules/kit/toolkit/toolkit_facts.h"
#include "rules/kit/variables/variable_fixes.h"

namespace culprit::rules::cuda_header_mismatch {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The headers in a toolkit come from another release than its nvcc: two installations are mixed. Or CPATH makes every compiler search
the headers of another toolkit.

## Why it breaks
nvcc and the headers check each other: "CUDA compiler and CUDA toolkit headers are incompatible, please check your
include paths". Or the build passes and calls functions that the libraries do not have.

## How culprit knows
culprit compares CUDA_VERSION in cuda.h with the release inside nvcc.

## Fix
Reinstall all of the toolkit; take its directory out of CPATH. In a conda environment, install cuda-nvcc and cuda-cudart-dev in one release.

## When this is not your problem
You build nothing: then neither is used. Toolkit wheels (nvidia-cuda-nvcc, nvidia-cuda-runtime) have separate versions, so
the rule does not compare them.

## Sources
cccl/cuda/std/__cccl/cuda_toolkit.h of CUDA 13.0 (the message), its cuda.h.
)md";

// Variables that put directories before those of the system, for every compiler.
void CheckVariables(const Scene& scene, Ruling& ruling) {
  const BuildChoice chosen = ChosenToolkit(scene);
  if (chosen.toolkit == nullptr || chosen.toolkit->nvcc_version.empty()) return;
  for (const char* name : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"}) {
    for (const std::string& element : base::SplitWords(scene.Variable(name), ":")) {
      const std::string directory = base::CleanPath(element);
      const snapshot::Toolkit* other = ToolkitAt(scene, std::string(base::DirName(directory)));
      if (base::BaseName(directory) != "include" || other == nullptr || other == chosen.toolkit) continue;
      if (other->header_version.empty() ||
          Release(other->header_version) == Release(chosen.toolkit->nvcc_version))
        continue;
      report::Finding& finding = ruling.Fire(std::string(name) + " lists " + directory +
                                                 ", whose cuda.h is CUDA " + other->header_version + "; " +
                                                 chosen.toolkit->nvcc + " is " + chosen.toolkit->nvcc_version,
                                             name, {directory});
      finding.affects.push_back("builds");
      finding.evidence.push_back(
          {std::string(name) + "=" + std::string(scene.Variable(name)), "environment"});
      finding.evidence.push_back(
          {"CUDA_VERSION in its cuda.h is " + other->header_version, directory + "/cuda.h"});
      finding.evidence.push_back({"a build uses " + chosen.toolkit->root, chosen.because});
      const std::string rest = WithoutEntries(scene.Variable(name), ":", [&](const std::string& entry) {
        return base::CleanPath(entry) == directory;
      });
      finding.fix = SetOrUnset(scene, name, rest, "remove " + directory + " from " + name);
      finding.fix.changes = {report::DropFromList{name, element}};
    }
  }
}

void Check(const Scene& scene, Ruling& ruling) {
  CheckVariables(scene, ruling);
  for (const snapshot::Toolkit* toolkit : Compilers(scene)) {
    if (toolkit->nvcc_version.empty() || toolkit->header_version.empty()) continue;
    if (Release(toolkit->nvcc_version) == Release(toolkit->header_version)) continue;
    // Toolkit wheels have separate versions: a clean install of jax[cuda13] has nvcc 13.4 with cuda.h 13.2.
    if (toolkit->kind == snapshot::ToolkitKind::kPip) continue;
    report::Finding& finding = ruling.Fire(toolkit->nvcc + " is " + toolkit->nvcc_version +
                                               ", cuda.h next to it is CUDA " + toolkit->header_version,
                                           toolkit->root);
    finding.evidence.push_back({toolkit->nvcc + " says V" + toolkit->nvcc_version, toolkit->nvcc});
    finding.evidence.push_back(
        {"CUDA_VERSION in its cuda.h is " + toolkit->header_version, toolkit->root + "/include/cuda.h"});
    const std::string release = Release(toolkit->nvcc_version);
    finding.fix = {.text = "reinstall all of CUDA " + release + " in " + toolkit->root,
                   .commands = {"grep -n 'define CUDA_VERSION' " + Word(toolkit->root) + "/include/cuda.h"},
                   .risk = report::Risk::kLow,
                   .changes = {report::InstallToolkit{
                       Release(toolkit->version) == release ? toolkit->version : release, toolkit->root}}};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL8003",
                           .name = "cuda_header_mismatch",
                           .family = Family::kBuilding,
                           .explains = Explains::kHeaders | Explains::kBuiltCudnn,
                           .cause = "header-library-mismatch",
                           .severity = report::Severity::kWarning,
                           .since = "0.2.0",
                           .title = "nvcc and cuda.h come from different releases",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cuda_header_mismatch

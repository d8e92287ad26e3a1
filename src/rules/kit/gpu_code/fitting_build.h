// Which build of a framework suits this machine: its driver, GPUs, Python and system, by the tables. Only
// what they answer with yes counts; a release of which they do not know enough is passed over.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/packages/frameworks.h"
#include "report/finding.h"
#include "rules/kit/python/package_changes.h"

namespace culprit::rules {

struct FittingBuild {
  Build build;                             // what pip is asked for
  const knowledge::FrameworkRelease* row;  // that says so
  std::string title;                       // "torch 2.14.0 for CUDA 13.0"
};
// Whether packages of NVIDIA for that CUDA ("12.4", "12") are installed.
bool HasCudaMajor(const snapshot::PythonEnvironment& environment, std::string_view cuda);

// The newest release with a build that suits; of `release` or for a CUDA major alone where they are given.
// What the package index has comes before the builds of other indexes, and a CUDA major that is installed
// already before others.
std::optional<FittingBuild> FindFittingBuild(const Scene& scene,
                                             const snapshot::PythonEnvironment& environment,
                                             std::string_view framework, std::string_view release = "",
                                             std::string_view cuda_major = "");

// The newest onnxruntime that is built for the CUDA major that is there, in place of the one that is not.
// Other frameworks bring their CUDA with them.
std::optional<report::Fix> OnnxruntimeFor(const Scene& scene, const snapshot::PythonEnvironment& environment,
                                          std::string_view cuda_major);

// The release of torchvision, torchaudio or xformers that belongs to a release of torch: the newest; nothing
// when the tables name none.
std::optional<std::string> CompanionOf(std::string_view package, std::string_view torch);

// The CUDA major to keep where packages of several are mixed: that of a framework beside them, otherwise the
// highest that the driver runs.
std::string PreferredMajor(const Scene& scene, const snapshot::PythonEnvironment& environment,
                           const std::set<std::string>& majors);

// pip install of that build, together with what is built on torch and installed here: "X -m pip install
// torch==2.14.0 torchvision==0.29.2". Adds commands and what they change.
void InstallTogether(const Scene& scene, const snapshot::PythonEnvironment& environment, const Build& build,
                     report::Fix& fix);

struct GpuFit;
// A build with code for this machine's GPUs in place of the one that has none.
report::Fix BuildForThisGpu(const Scene& scene, const GpuFit& fit);

}  // namespace culprit::rules

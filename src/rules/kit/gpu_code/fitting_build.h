// Which build of a framework supports this machine: its driver, GPUs, Python and system, by the tables. A
// release that the tables do not know enough about is skipped.
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
  Build build;                      // what pip installs
  knowledge::FrameworkRelease row;  // its table row
  std::string title;                // "torch 2.14.0 for CUDA 13.0"
};
// Whether NVIDIA packages for that CUDA ("12.4", "12") are installed.
bool HasCudaMajor(const snapshot::PythonEnvironment& environment, std::string_view cuda);

// The newest release with a suitable build; only `release` or only that CUDA major if given. Prefers PyPI to
// other indexes, and a CUDA major that is already installed.
std::optional<FittingBuild> FindFittingBuild(const Scene& scene,
                                             const snapshot::PythonEnvironment& environment,
                                             std::string_view framework, std::string_view release = "",
                                             std::string_view cuda_major = "");

// Installs the newest onnxruntime built for the installed CUDA major. Other frameworks bundle their CUDA.
std::optional<report::Fix> OnnxruntimeFor(const Scene& scene, const snapshot::PythonEnvironment& environment,
                                          std::string_view cuda_major);

// The newest release of torchvision, torchaudio or xformers for a torch release; nullopt if the tables list
// none.
std::optional<std::string> CompanionOf(std::string_view package, std::string_view torch);

// The CUDA major to keep if packages of several are mixed: that of a framework in the environment, otherwise
// the highest that the driver supports.
std::string PreferredMajor(const Scene& scene, const snapshot::PythonEnvironment& environment,
                           const std::set<std::string>& majors);

// pip install of that build, together with the installed packages that depend on torch: "X -m pip install
// torch==2.14.0 torchvision==0.29.2". Adds commands and what they change.
void InstallTogether(const Scene& scene, const snapshot::PythonEnvironment& environment, const Build& build,
                     report::Fix& fix);

struct GpuFit;
// The same of a package whose releases are not in the tables: the user has to look which one has the code.
report::Fix AnotherBuild(const GpuFit& fit);
// Installs a build with code for this machine's GPUs; a program is compiled again.
report::Fix BuildForThisGpu(const Scene& scene, const GpuFit& fit);

}  // namespace culprit::rules

// Which cuDNN to install, from where, and what is different then.
#pragma once

#include <cstdint>
#include <string>

#include "rules/rule.h"

namespace culprit::rules {

// A release that can be installed here.
struct CudnnChoice {
  std::string version;  // "9.14.0"; "" = none is known
  std::string build;    // "9.14.0.64", as packages are numbered; "" not known
  std::string cuda;     // "12"; "" not known
  bool newest = true;   // of its major: a package manager takes it unasked
};

// The CUDA major that a process runs on, or would: by its libcudart, its framework, the toolkit that is here,
// the driver. "" when nothing tells.
std::string CudaOfProcess(const Scene& scene, const loader::Scenario& scenario);
// The newest release of that major that was built for this CUDA ("" = any) and serves the GPUs of the
// machine.
CudnnChoice ChooseCudnn(const Scene& scene, uint32_t major, const std::string& cuda);

// The choice for everybody on the machine, or into `directory` where one is given.
report::Fix InstallForAll(const Scene& scene, const CudnnChoice& choice, const std::string& directory = "");
// The choice into an environment, in place of any other that is there.
report::Fix InstallInto(const Scene& scene, const snapshot::PythonEnvironment& environment,
                        const CudnnChoice& choice);

// Whether a package brings this shim alone: on Linux by auditwheel (libcudnn-0a1b2c3d.so.9.1.0), on Windows
// under its own name. Its parts come from a cuDNN of that major elsewhere, or from none.
bool BringsShimAlone(const Scene& scene, const std::string& shim);
// The release of the shim where it is known, otherwise as ChooseCudnn.
CudnnChoice ChooseLike(const Scene& scene, const std::string& shim, const std::string& cuda);

// The cuDNN that `file` belongs to again, all parts of the same release, by whatever brought it.
report::Fix InstallCudnnAgain(const Scene& scene, const loader::Scenario& scenario, const std::string& file);

}  // namespace culprit::rules

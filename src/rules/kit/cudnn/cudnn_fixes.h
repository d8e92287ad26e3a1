// Which cuDNN to install, from where, and what that changes.
#pragma once

#include <cstdint>
#include <string>

#include "rules/rule.h"

namespace culprit::rules {

// A release that can be installed here.
struct CudnnChoice {
  std::string version;  // "9.14.0"; "" if none is known
  std::string build;    // "9.14.0.64", the package version; "" if unknown
  std::string cuda;     // "12"; "" if unknown
  bool newest = true;   // of its major: a package manager installs it by default
};

// The CUDA major that a process uses, from its CUDA libraries, its framework, the chosen toolkit or the
// driver. "" if unknown.
std::string CudaOfProcess(const Scene& scene, const loader::Scenario& scenario);
// The newest release of that major that was built for this CUDA ("" for any) and supports this machine's
// GPUs.
CudnnChoice ChooseCudnn(const Scene& scene, uint32_t major, const std::string& cuda);

// Installs the choice system-wide, or into `directory` if given.
report::Fix InstallForAll(const Scene& scene, const CudnnChoice& choice, const std::string& directory = "");
// Installs the choice into an environment, replacing any other.
report::Fix InstallInto(const Scene& scene, const snapshot::PythonEnvironment& environment,
                        const CudnnChoice& choice);

// Whether a package bundles only this shim: on Linux by auditwheel (libcudnn-0a1b2c3d.so.9.1.0), on Windows
// under its own name. Its sub-libraries come from a cuDNN of that major elsewhere, or are missing.
bool BundlesOnlyShim(const Scene& scene, const std::string& shim);
// The shim's release if known, otherwise as ChooseCudnn.
CudnnChoice ChooseLike(const Scene& scene, const std::string& shim, const std::string& cuda);

// Reinstalls the cuDNN that `file` belongs to, all of the same release, with the tool that installed it.
report::Fix ReinstallCudnn(const Scene& scene, const loader::Scenario& scenario, const std::string& file);

}  // namespace culprit::rules

// Fixes for libraries that a process does not get, as commands to paste: what is installed, and how.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rules/kit/loading/failed_loads.h"

namespace culprit::rules {

// How a user starts the process again: "/usr/bin/train", "python3 -c 'import torch'".
std::string StartCommand(const Scene& scene, const loader::Scenario& scenario);

// A program or file as the shell of the machine takes it: in quotes on Windows where it has a space.
std::string ForShell(const Scene& scene, const std::string& path);

// The version of a package again, or another one in its place, with sound files and nothing else touched.
report::Fix ReinstallPackage(const Scene& scene, const snapshot::PythonEnvironment& environment,
                             const std::string& package, const std::string& version, std::string text);

// The one version of a package that the environment can have: something in it asks for exactly that. "" when
// nothing does.
std::string PinnedVersion(const Scene& scene, const snapshot::PythonEnvironment& environment,
                          const std::string& package);

// Windows: installs the Visual C++ runtime that a DLL belongs to; empty for one that winget does not have.
std::vector<std::string> RuntimeCommands(std::string_view dll);

// The CUDA major that a soname belongs to: "12" for libcublas.so.12 and libcufft.so.11; "" where several
// share it.
std::string CudaOfSoname(const knowledge::Library& library, std::string_view soname);
// The major version in a name: 9 of libcudnn_ops.so.9.1.0 and of cudnn64_9.dll; 0 when there is none.
uint32_t MajorOfName(std::string_view name);
// The pip distribution that brings it for that CUDA: "nvidia-cublas-cu12"; "" when none is known.
std::string PipPackage(const knowledge::Library& library, const std::string& cuda);
// The package of a Python environment again that has lost a file of this name; nothing when none has.
std::optional<report::Fix> BringBack(const Scene& scene, const snapshot::PythonEnvironment& environment,
                                     const std::string& name);

// How it is installed for the scenario: with pip in the environment of a framework, otherwise in words.
report::Fix Install(const Scene& scene, const FailedLoad& failed);

// The same where a file of that name is there and is not for this process: what brought it brings it again.
report::Fix InstallInstead(const Scene& scene, const FailedLoad& failed);

}  // namespace culprit::rules

// Fixes for libraries that a process cannot load, as commands to paste: what to install, and how.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rules/kit/loading/failed_loads.h"

namespace culprit::rules {

// How a user restarts the process: "/usr/bin/train", "python3 -c 'import torch'".
Command StartCommand(const Scene& scene, const loader::Scenario& scenario);

// Installs this version of a package over whatever is there, without touching other packages.
report::Fix ReinstallPackage(const snapshot::PythonEnvironment& environment, const std::string& package,
                             const std::string& version, std::string text);

// The version of a package that something in the environment pins; "" if nothing does.
std::string PinnedVersion(const Scene& scene, const snapshot::PythonEnvironment& environment,
                          const std::string& package);

// Windows: installs the Visual C++ runtime that a DLL belongs to; empty if winget does not have it.
std::vector<Command> RuntimeCommands(std::string_view dll);

// The CUDA major that a soname belongs to: "12" for libcublas.so.12 and libcufft.so.11; "" if several share
// it.
std::string CudaOfSoname(const knowledge::Library& library, std::string_view soname);
// The major version in a name: 9 for libcudnn_ops.so.9.1.0 and cudnn64_9.dll; 0 if there is none.
uint32_t MajorOfName(std::string_view name);
// The pip package that provides it for that CUDA: "nvidia-cublas-cu12"; "" if none is known.
std::string PipPackage(const knowledge::Library& library, const std::string& cuda);
// Reinstalls the Python package that is missing a file of this name; nullopt if none is.
std::optional<report::Fix> BringBack(const snapshot::PythonEnvironment& environment, const std::string& name);

// How to install it for the scenario: with pip in a framework's environment, otherwise described in words.
report::Fix Install(const Scene& scene, const FailedLoad& failed);
// The same for several libraries of one scenario: one command of pip, otherwise every command once.
report::Fix Install(const Scene& scene, const std::vector<FailedLoad>& failed);

// The same, if a file of that name exists but does not work for this process: reinstalls what provides it.
report::Fix InstallInstead(const Scene& scene, const FailedLoad& failed);

}  // namespace culprit::rules

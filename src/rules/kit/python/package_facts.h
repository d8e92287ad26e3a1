// Questions about Python environments that several rules share.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/python/pep508.h"
#include "rules/rule.h"

namespace culprit::rules {

// The environments, without single wheels, whose requirements are not installed next to them. Notes in
// `ruling` if there are none, or if they could not be read.
std::span<const snapshot::PythonEnvironment> EnvironmentsOf(const Scene& scene, Ruling& ruling);

const snapshot::Framework* FindFramework(const snapshot::PythonEnvironment& environment,
                                         std::string_view name);

// "/opt/venv/bin/python3".
Command PythonOf(const snapshot::PythonEnvironment& environment);
// "/opt/venv/bin/python3 -m pip", which works in any shell.
Command PipOf(const snapshot::PythonEnvironment& environment);
// "torch 2.11.0+cu130 in /opt/venv", as in the titles of scenarios.
std::string TitleOf(const snapshot::PythonEnvironment& environment, const snapshot::Framework& framework);

// The facts that requirement markers use, without extras.
base::MarkerFacts MarkerFactsOf(const Scene& scene, const snapshot::PythonEnvironment& environment);

// "12" for "12.4".
std::string MajorOf(std::string_view version);
// The CUDA major in a package name: "12" for "nvidia-cudnn-cu12"; "" if there is none.
std::string CudaMajorOfPackage(std::string_view name);

enum class Presence { kYes, kNo, kUnknown };
// Whether the machine has an NVIDIA GPU, detected or assumed.
Presence GpuPresence(const Scene& scene);
// The same, and yes in WSL with the driver of Windows: WSL does not show its GPU.
Presence GpuExpected(const Scene& scene);

// Whether the process of a scenario starts: nothing that it requires is missing.
bool Works(const loader::Scenario& scenario);
// The scenario of a framework; nullptr if there is none.
const loader::Scenario* ScenarioOf(const Scene& scene, const snapshot::PythonEnvironment& environment,
                                   std::string_view framework);

}  // namespace culprit::rules

// What several rules ask of the Python environments, and fixes that several rules give.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/kit/python/pep508.h"
#include "rules/rule.h"

namespace culprit::rules {

// The environments without wheels, which are looked at alone: what they require is not beside them. Tells
// `ruling` when there are none, or when they could not be looked at.
std::span<const snapshot::PythonEnvironment> EnvironmentsOf(const Scene& scene, Ruling& ruling);

const snapshot::Framework* FindFramework(const snapshot::PythonEnvironment& environment,
                                         std::string_view name);

// "/opt/venv/bin/python3 -m pip", which is right whatever shell it is pasted into.
std::string PipOf(const snapshot::PythonEnvironment& environment);
// "torch 2.11.0+cu130 in /opt/venv": how scenarios call it.
std::string TitleOf(const snapshot::PythonEnvironment& environment, const snapshot::Framework& framework);

// For markers of requirements, without extras.
MarkerFacts MarkerFactsOf(const Scene& scene, const snapshot::PythonEnvironment& environment);

// "12" of "12.4".
std::string MajorOf(std::string_view version);
// The CUDA major in the name of a package: 12 of "nvidia-cudnn-cu12"; "" when there is none.
std::string CudaMajorOfPackage(std::string_view name);

enum class Presence { kYes, kNo, kUnknown };
// Whether the machine has an NVIDIA GPU, seen or assumed.
Presence GpuPresence(const Scene& scene);

// Whether the process of a scenario comes up: nothing that it cannot do without is missing.
bool Works(const loader::Scenario& scenario);
// The scenario of a framework; nullptr when none was played.
const loader::Scenario* ScenarioOf(const Scene& scene, const snapshot::PythonEnvironment& environment,
                                   std::string_view framework);

}  // namespace culprit::rules

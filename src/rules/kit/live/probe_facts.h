// What the live rules ask of a probe: did a step fail and with which number, which device was it on, what did
// it load.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rule.h"

namespace culprit::rules {

// nullptr, after telling the ruling that it has no subject, when nothing was probed.
const snapshot::ProbeFacts* Probed(const Scene& scene, Ruling& ruling);

// It was tried and did not end well.
bool Failed(const snapshot::ProbeStep& step);
// A step of the same job failed, so that this one was not tried.
bool FollowsFromFailure(const snapshot::ProbeFacts& facts, const snapshot::ProbeStep& step);
// "driver", "runtime", "cudnn", "framework", "compile": by the name of the step.
std::string_view JobKind(const snapshot::ProbeStep& step);
// "torch" of the job "torch /opt/venv/bin/python3".
std::string FrameworkOf(const snapshot::ProbeStep& step);
// The number of a status of CUDA, by either of its names or as a number; nullopt for others.
std::optional<int32_t> CudaCode(const snapshot::ProbeStep& step);
// A library could not be opened: by dlopen, or by one that another one opens.
bool LoadFailed(const snapshot::ProbeStep& step);

// Everything that the step says of itself, one thing a line: for those who search it for words.
std::string Words(const snapshot::ProbeStep& step);
// "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
std::string Said(const snapshot::ProbeStep& step);
// Names the step as the source of a fact; a finding with it in its evidence is the one about that step.
std::string PlaceOf(const snapshot::ProbeStep& step);
report::Evidence EvidenceOf(const snapshot::ProbeStep& step);
// The last lines of what its child wrote to standard error.
void AddOutput(const snapshot::ProbeStep& step, report::Finding& finding);

// The commands of a fix, for the system of the scene.
std::vector<std::string> Commands(const Scene& scene, std::vector<std::string> on_linux,
                                  std::vector<std::string> on_windows);

// The device that a step was on: named by its subject or the only one, else the first that CUDA shows.
// nullptr: not known.
const snapshot::ProbedDevice* DeviceOf(const snapshot::ProbeFacts& facts, const snapshot::ProbeStep& step);
// "GPU 0 (NVIDIA H200)".
std::string NameOf(const snapshot::ProbedDevice& device);
// "23.4 GiB".
std::string Size(uint64_t bytes);
// Too little for a context and the handle of a library.
bool HardlyAnyFree(const snapshot::ProbedDevice& device);

// Files that the job of a step had loaded when it ended.
std::vector<snapshot::ProbedLibrary> LoadedUntil(const snapshot::ProbeFacts& facts,
                                                 const snapshot::ProbeStep& step);

}  // namespace culprit::rules

// Questions that the live rules ask about a probe: did a step fail and with which number, on which device,
// and what did it load.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rule.h"

namespace culprit::rules {

// nullptr if nothing was probed; the ruling is then marked as not applicable.
const snapshot::ProbeFacts* Probed(const Scene& scene, Ruling& ruling);

// It ran and failed.
bool Failed(const snapshot::ProbeStep& step);
// A step of the same job, or of the driver, failed, so this one was not run.
bool FollowsFromFailure(const snapshot::ProbeFacts& facts, const snapshot::ProbeStep& step);
// "torch" for the job "torch /opt/venv/bin/python3".
std::string FrameworkOf(const snapshot::ProbeStep& step);
// The file, device or interpreter that it is about; the job where there is none.
std::string SubjectOf(const snapshot::ProbeStep& step);
// "a kernel from PTX, compiled by the driver".
std::string TitleOf(const snapshot::ProbeStep& step);
// The number of a CUDA status, from either of its names or a number; nullopt for others.
std::optional<int32_t> CudaCode(const snapshot::ProbeStep& step);
// A library failed to load: in our dlopen, or in that of another library.
bool LoadFailed(const snapshot::ProbeStep& step);
// It found parts of cuDNN of two versions.
bool SaysMixed(const snapshot::ProbeStep& step);

// All text of the step, one item per line, to search for messages of CUDA, the loader and compilers.
std::string Words(const snapshot::ProbeStep& step);
// "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
std::string Said(const snapshot::ProbeStep& step);
// The facts behind Said(): two steps of which it says the same have the same.
std::vector<std::string> TellingOf(const snapshot::ProbeStep& step);
// "driver: kernel", which no other step of the probe is called.
std::string StepId(const snapshot::ProbeStep& step);
// What the step said, as evidence; a finding with it is the one about that step.
report::Evidence EvidenceOf(const snapshot::ProbeStep& step);
bool IsAbout(const report::Finding& finding, const snapshot::ProbeStep& step);
// Adds the last lines that its child wrote to standard error.
void AddOutput(const snapshot::ProbeStep& step, report::Finding& finding);

// The commands of a fix for the scene's operating system.
std::vector<Command> Commands(const Scene& scene, std::vector<Command> on_linux,
                              std::vector<Command> on_windows);

// The device that a step ran on: named by its subject or the only one, else the first that CUDA shows.
// nullptr: unknown.
const snapshot::ProbedDevice* DeviceOf(const snapshot::ProbeFacts& facts, const snapshot::ProbeStep& step);
// "GPU 0 (NVIDIA H200)".
std::string NameOf(const snapshot::ProbedDevice& device);
// "23.4 GiB".
std::string Size(uint64_t bytes);
// Too little for a context and a library handle.
bool HardlyAnyFree(const snapshot::ProbedDevice& device);

// Files that the job had loaded at the end of the step.
std::vector<snapshot::ProbedLibrary> LoadedUntil(const snapshot::ProbeFacts& facts,
                                                 const snapshot::ProbeStep& step);

}  // namespace culprit::rules

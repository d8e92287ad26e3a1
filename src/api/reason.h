// Why something does not work on this machine: a finding of the static engine that fits, what the driver
// tells, or at least what the status means.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "api/live.h"
#include "api/status_name.h"
#include "report/finding.h"

namespace culprit::api {

struct Reason {
  std::string cause;    // slug of the closed list
  std::string code;     // "CUL2001"; "" none
  std::string summary;  // one line
  bool proven = false;  // seen on this machine; otherwise what the status usually means
  std::string fix;
  std::vector<std::string> commands;
};

Reason ReasonOf(const report::Finding& finding);

// The finding that explains a status with these causes (likeliest first): errors before warnings, then by the
// order of the causes. nullptr when none does.
const report::Finding* FindExplanation(const std::vector<report::Finding>& findings,
                                       const std::vector<std::string>& causes);

// What a status means where nothing was found: its first cause by the tables. nullopt without any.
std::optional<Reason> UsualReason(const StatusFacts& status);

// The driver shows no device, and NVML does: CUDA_VISIBLE_DEVICES is to blame. nullopt when it is not.
std::optional<Reason> HiddenDevices(const LiveDriver& live, const std::string* visible_devices);

// Why CUDA cannot be used at all: the driver was not found, or does not start.
Reason WhyNoDriver(const LiveDriver& live, std::chrono::milliseconds limit);

// Full memory and who holds it. `certain`: the status says so itself; otherwise only when little is left.
std::optional<Reason> MemoryReason(const MemoryState& memory, bool certain);

}  // namespace culprit::api

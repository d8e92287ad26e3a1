// Why something does not work on this machine: a matching finding of the static engine, what the driver says,
// or at least what the status means.
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
  std::string cause;    // slug from the closed list
  std::string code;     // "CUL2001"; "" if none
  std::string summary;  // one line
  bool proven = false;  // observed on this machine; otherwise what the status usually means
  std::string fix;
  std::vector<std::string> commands;
};

Reason ReasonOf(const report::Finding& finding);

// The finding that explains a status with these causes (most likely first): errors before warnings, then in
// the order of the causes. nullptr if none does.
const report::Finding* FindExplanation(const std::vector<report::Finding>& findings,
                                       const std::vector<std::string>& causes);

// What a status means if nothing was found: its first cause in the tables. nullopt if it has none.
std::optional<Reason> UsualReason(const StatusFacts& status);

// The driver shows no device but NVML does: CUDA_VISIBLE_DEVICES is at fault. nullopt if it is not.
std::optional<Reason> HiddenDevices(const LiveDriver& live, const std::string* visible_devices);

// Why CUDA cannot be used at all: the driver is not found or does not start.
Reason WhyNoDriver(const LiveDriver& live, std::chrono::milliseconds limit);

// Full memory and which processes use it. `certain`: the status itself says so; otherwise only if little is
// left.
std::optional<Reason> MemoryReason(const MemoryState& memory, bool certain);

}  // namespace culprit::api

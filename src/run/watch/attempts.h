// What is at the paths of a record right after the run.
#pragma once

#include <optional>
#include <string>

#include "snapshot/record/run.h"
#include "system/system.h"

namespace culprit::watch {

// nullopt if unknown.
std::optional<base::LoadOutcome> OutcomeAt(const system::System& machine, const std::string& path);

// Real paths and vanished files of loads, outcomes of the attempts of failed requests, names of statuses.
void LookUp(const system::System& machine, record::Process& process);

}  // namespace culprit::watch

// Changes -> the changed machine. Packages and libraries that are not installed yet become files that claim
// what the real ones will: names, versions, requirements, GPU code.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "report/change.h"
#include "system/system.h"

namespace culprit::whatif {

// Fails with the reason if a change cannot be simulated (NotInFiles, an unknown package ...).
base::Result<std::shared_ptr<const system::System>> CarryOut(std::shared_ptr<const system::System> before,
                                                             std::span<const report::Change> changes);

// Where the host is only said (--host driver=535.104.05,gpu=sm_90), a driver that is installed there changes
// what is said, and no file: takes such changes out and gives the new text.
std::string SaidHostAfter(std::string host, std::vector<report::Change>& changes);

}  // namespace culprit::whatif

// Changes of a host are many small ones: the driver is libraries, links, a module, device nodes. Each is made
// on the machine as those before it left it, and all together are one answer.
#pragma once

#include <span>

#include "change/whatif/make.h"
#include "report/change.h"

namespace culprit::whatif {

// `made` happens after `all`, and both become one.
void Append(system::SystemChanges made, system::SystemChanges& all);

Changes InSteps(const system::System& machine, std::span<const report::Change> steps);

}  // namespace culprit::whatif

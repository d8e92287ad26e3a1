// What is ignored, in the JSON of a check and of a table of hosts.
#pragma once

#include "base/json_fwd.h"
#include "report/check.h"

namespace culprit::render {

// Only those that hide something.
base::Json IgnoredJson(const report::CheckReport& report);

}  // namespace culprit::render

// The stack as a compact table: driver, GPUs, toolkits, cuDNN copies, environments, and under each
// environment its frameworks with the libraries that each would really load.
#pragma once

#include <vector>

#include "report/check.h"
#include "rules/rule.h"

namespace culprit::engine {

std::vector<report::StackRow> StackRows(const rules::Scene& scene);

}  // namespace culprit::engine

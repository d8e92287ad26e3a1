// The headings under which the steps of a probe stand: "driver 580.95.05", "cuDNN 9.19.0 in /usr/lib/...".
#pragma once

#include <string>

#include "rules/rule.h"

namespace culprit::probe {

std::string GroupOf(const rules::Scene& scene, const snapshot::ProbeStep& step);

}  // namespace culprit::probe

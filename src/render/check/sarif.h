// SARIF as a value, for those who add to it.
#pragma once

#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "report/check.h"

namespace culprit::render {

// The results of the findings come first, in their order.
base::Json SarifJson(const report::CheckReport& report, const std::vector<report::RulePage>& pages,
                     bool redacted, std::string_view rules_url);

}  // namespace culprit::render

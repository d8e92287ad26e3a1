// The GPU code of a file as JSON and as lines of text.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json_fwd.h"
#include "report/inspect.h"

namespace culprit::render {

base::Json GpuCodeJson(const std::optional<report::GpuCodeAnswer>& code);  // null if there is none
// Key and value of each line.
std::vector<std::pair<std::string, std::string>> GpuCodeLines(const report::GpuCodeAnswer& code);

}  // namespace culprit::render

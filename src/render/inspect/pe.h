// Fields that only a PE file has, as JSON and as lines of text.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/json_fwd.h"
#include "report/inspect.h"

namespace culprit::render {

void PutPe(const report::PeAnswer& pe, base::Json& json);
// Key and value of each line, values as in the file.
std::vector<std::pair<std::string, std::string>> PeLines(const report::PeAnswer& pe);

}  // namespace culprit::render

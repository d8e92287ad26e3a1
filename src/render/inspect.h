// `inspect` as text and JSON. Pure: report -> string.
#pragma once

#include <string>

#include "base/json.h"
#include "render/style.h"
#include "report/inspect.h"

namespace culprit::render {

std::string ToText(const report::InspectAnswer& answer, const Style& style);
base::Json ToJson(const report::InspectAnswer& answer);

}  // namespace culprit::render

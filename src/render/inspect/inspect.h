// `inspect` as text and JSON. Pure: report -> string.
#pragma once

#include <string>

#include "render/style.h"
#include "report/inspect.h"

namespace culprit::render {

std::string ToText(const report::InspectAnswer& answer, const Style& style);
std::string ToJson(const report::InspectAnswer& answer);

}  // namespace culprit::render

// `compat` as text, JSON and Markdown. Pure: report -> string.
#pragma once

#include <string>

#include "render/style.h"
#include "report/compat.h"

namespace culprit::render {

std::string ToText(const report::CompatAnswer& answer, const Style& style);
std::string ToJson(const report::CompatAnswer& answer);
std::string ToMarkdown(const report::CompatAnswer& answer);

}  // namespace culprit::render

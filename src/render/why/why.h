// `why` as text, JSON and Graphviz. Pure: report -> string.
#pragma once

#include <string>

#include "render/style.h"
#include "report/why.h"

namespace culprit::render {

std::string ToText(const report::LibraryAnswer& answer, const Style& style);
// `all` lists the operating system's libraries one by one.
std::string ToText(const report::LoadAnswer& answer, const Style& style, bool all);
std::string ToJson(const report::LibraryAnswer& answer);
std::string ToJson(const report::LoadAnswer& answer);
std::string ToDot(const report::LoadAnswer& answer);

}  // namespace culprit::render

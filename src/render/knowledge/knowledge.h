// `knowledge` as text and JSON.
#pragma once

#include <string>

#include "render/style.h"
#include "report/knowledge.h"

namespace culprit::render {

std::string ToText(const report::KnowledgeAnswer& answer, const Style& style, bool verbose);
std::string ToJson(const report::KnowledgeAnswer& answer);

}  // namespace culprit::render

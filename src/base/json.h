// The one JSON type; keys keep the order in which they are written.
#pragma once

#include <nlohmann/json.hpp>

namespace culprit::base {
using Json = nlohmann::ordered_json;
}  // namespace culprit::base

// Forward declaration of the JSON type, for headers that only pass it on; the type is in base/json.h.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace culprit::base {
using Json = nlohmann::ordered_json;
}  // namespace culprit::base

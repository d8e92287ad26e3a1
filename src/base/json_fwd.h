// The name of the JSON type for headers that only pass it on; base/json.h has the type.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace culprit::base {
using Json = nlohmann::ordered_json;
}  // namespace culprit::base

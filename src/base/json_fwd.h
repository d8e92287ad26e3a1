// Declares the JSON type for headers that only pass it on; base/json.h defines it.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace culprit::base {
using Json = nlohmann::ordered_json;
}  // namespace culprit::base

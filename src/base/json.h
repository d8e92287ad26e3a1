// The only JSON type; keys keep the order in which they are written. Its functions and its parser are
// compiled once (json.cc).
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/json_fwd.h"

extern template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace culprit::base {

// is_discarded() if the text is not JSON.
Json ParseJson(std::string_view text);

}  // namespace culprit::base

// Whether the name of a variable, option or field says that its value is secret.
#pragma once

#include <string_view>

namespace culprit::record {

enum class Secrecy {
  kNone,
  kLikely,   // "token": in machine learning mostly no secret, so the value has to look like one
  kCertain,  // "password", "api_key"
};

Secrecy SecrecyOf(std::string_view name);

// Long and of letters and digits, as nobody types it.
bool LooksRandom(std::string_view value);

}  // namespace culprit::record

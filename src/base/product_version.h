// The version of culprit itself.
#pragma once

#include <string_view>

namespace culprit::base {

std::string_view ProductVersion();  // "0.8.0"

}  // namespace culprit::base

// The version of culprit itself.
#pragma once

#include <string_view>

namespace culprit::base {

std::string_view ProductVersion();  // "0.8.0"
std::string_view ProductCommit();   // "5b6c85db1f2e"; "unknown" if it was built without the repository

}  // namespace culprit::base

// GPU architectures in the flags of compilers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace culprit::rules {

// "7.0" for every compute_70 and sm_70 in a word of flags; "10.0" for sm_100a.
std::vector<std::string> CapabilitiesIn(std::string_view word);
// The same of a list as CMake takes it: "80;90a-real;100"; nothing for words such as native.
std::vector<std::string> CapabilitiesInList(std::string_view list);

}  // namespace culprit::rules

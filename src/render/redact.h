// Hides who you are in output that you paste in public: the home directory becomes "~", the user name in
// other paths becomes "USER".
#pragma once

#include <string>
#include <string_view>

#include "report/check.h"

namespace culprit::render {

// `home` and `user` may be empty. Only whole path components are replaced: user "ada" leaves "/opt/adabas"
// alone, and one called "local" or "data" is nobody. Names of other people's home directories (/home/NAME,
// /Users/NAME) are replaced as well. In quotes, where a shell does not expand "~", it is "$HOME".
std::string Redact(std::string_view text, std::string_view home, std::string_view user);
// The same for every text of a report, for formats that escape paths.
report::CheckReport Redacted(report::CheckReport report, std::string_view home, std::string_view user);

}  // namespace culprit::render

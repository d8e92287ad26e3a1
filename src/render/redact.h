// What people paste in public should not reveal their name: the home directory becomes "~", the user's name
// in other paths becomes "USER".
#pragma once

#include <string>
#include <string_view>

#include "report/check.h"

namespace culprit::render {

// `home` and `user` may be empty. Only whole path components are replaced: user "ada" leaves "/opt/adabas"
// alone. Names of other people's home directories (/home/NAME, /Users/NAME) are replaced as well.
std::string Redact(std::string_view text, std::string_view home, std::string_view user);
// The same in every text of a report, for formats in which a path is not written as is.
report::CheckReport Redacted(report::CheckReport report, std::string_view home, std::string_view user);

}  // namespace culprit::render

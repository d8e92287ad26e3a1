// Windows paths as users know them: inside culprit a path is "/C:/Windows/System32" (base/windows/path.h), in
// the output it is C:\Windows\System32. Done once, on the finished text, so that no rule and no renderer has
// to deal with it.
#pragma once

#include <string>
#include <string_view>

namespace culprit::render {

enum class Writing { kText, kJson /* a backslash is written as two */ };

std::string InWindowsSpelling(std::string_view text, Writing writing);

}  // namespace culprit::render

// Environment variables as programs on the machine see them, without secrets: what is not in a snapshot
// cannot leave the process in any format. On Windows "Path" and "PATH" are the same; here, and only here,
// such names become one, in upper case.
#pragma once

#include <map>
#include <string>

#include "base/platform.h"

namespace culprit::collect {

using Variables = std::map<std::string, std::string>;

// If a name has two spellings, the one in upper case wins.
Variables EnvironmentOf(base::Platform platform, Variables variables);

}  // namespace culprit::collect

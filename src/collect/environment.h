// The variables of the environment as programs of the machine would see them. Windows does not tell "Path"
// from "PATH"; here, and only here, such names become one: upper case.
#pragma once

#include <map>
#include <string>

#include "base/platform.h"

namespace culprit::collect {

using Variables = std::map<std::string, std::string>;

// Of two spellings of one name the one in upper case stays.
Variables EnvironmentOf(base::Platform platform, Variables variables);

}  // namespace culprit::collect

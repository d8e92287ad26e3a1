// Which of our libraries work in a program, decided from its file before it is started.
#pragma once

#include <string>

#include "system/system.h"

namespace culprit::watch {

struct Reach {
  std::string program;   // the file that runs: of a script its interpreter
  std::string why_not;   // why its loads cannot be seen; "" they can
  bool harmful = false;  // its loader would complain about our library, so it must not get it
};

// `path`: absolute, from system::FindCommand. If the file cannot be read, we try anyway.
Reach ReachOf(const system::System& machine, const std::string& path);

}  // namespace culprit::watch

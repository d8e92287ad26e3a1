// How far the libraries of witness/ reach into a program, told from its file before it is started.
#pragma once

#include <string>

#include "system/system.h"

namespace culprit::watch {

struct Reach {
  std::string program;   // the file that runs: of a script its interpreter
  std::string why_not;   // why its loads cannot be seen; "" they can
  bool harmful = false;  // its loader would complain about our library: it must not be given one
};

// `path`: absolute, as system::FindCommand found it. A file that cannot be read is tried.
Reach ReachOf(const system::System& machine, const std::string& path);

}  // namespace culprit::watch

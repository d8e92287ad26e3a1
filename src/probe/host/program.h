// Where culprit-probe is: the program that CULPRIT_PROBE names, the one beside this program, the one in
// ../libexec/culprit, or the copy inside this program, which is written where it can be started.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/error.h"

namespace culprit::probe {

// Must outlive every child that is started from it.
class Program {
 public:
  virtual ~Program() = default;
  virtual const std::string& path() const = 0;    // absolute, to be started
  virtual const std::string& source() const = 0;  // for a person: "CULPRIT_PROBE", "inside culprit"
};

// `named`: the value of CULPRIT_PROBE, "" when it is not set; a path there that is no program is an error,
// and nothing else is tried. `inside`: the copy in this program, empty when there is none.
base::Result<std::unique_ptr<Program>> FindProgram(const std::string& named,
                                                   std::span<const unsigned char> inside);

}  // namespace culprit::probe

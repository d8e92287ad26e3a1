// Finds culprit-probe: the program that CULPRIT_PROBE names, the one next to culprit, the one in
// ../libexec/culprit, or the copy embedded in culprit, which is written to a place where it can be started.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/error.h"
#include "system/own_program.h"

namespace culprit::probe {

// Must outlive every child that is started from it.
class Program {
 public:
  virtual ~Program() = default;
  virtual const std::string& path() const = 0;    // absolute, to be started
  virtual const std::string& source() const = 0;  // for people: "CULPRIT_PROBE", "inside culprit"
};

// `named`: the value of CULPRIT_PROBE, "" if it is not set. If it is not a program, that is an error, and
// nothing else is tried. `inside`: the embedded copy, empty if there is none; it can be started only where
// `loader` is, so not on musl.
base::Result<std::unique_ptr<Program>> FindProgram(const std::string& named,
                                                   std::span<const unsigned char> inside,
                                                   std::string_view loader = system::kGlibcLoader);

}  // namespace culprit::probe

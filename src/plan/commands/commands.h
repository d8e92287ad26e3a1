// A solved plan -> the commands in order, or a file: driver, removal, toolkit, cuDNN, environment, framework,
// verification.
#pragma once

#include <string_view>

#include "plan/question.h"
#include "report/plan.h"

namespace culprit::plan {

enum class As { kPip, kUv, kConda, kApt, kDockerfile, kCmake, kRequirements };

struct Place {
  std::string environment;  // prefix that is changed; "" = a new one is made
  bool conda = false;       // it is one of conda
};

// Whether a package of the plan opens the libraries of the nvidia-* wheels by their bare names, so that the
// loader must be told where they are: LD_LIBRARY_PATH on Linux, PATH on Windows.
bool NeedsLibraryPath(const report::Plan& plan);

// Fills steps (and document, for a file) of a plan whose outcome is a solution.
void WriteCommands(report::Plan& plan, const Question& question, const Place& place, As as);

}  // namespace culprit::plan

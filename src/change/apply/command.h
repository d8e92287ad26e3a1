// A program that a step needs: ldconfig, pip.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace culprit::apply {

// What it wrote on its standard output; the error has its last line on the other. It runs in English.
base::Result<std::string> RunCommand(const std::vector<std::string>& command, int seconds);
// Shell-quoted.
std::string AsTyped(const std::vector<std::string>& command);

}  // namespace culprit::apply

// What a maintainer asks first: the diagnosis, the machine, its variables and its packages.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/check.h"

namespace culprit::report {

using NamedValues = std::vector<std::pair<std::string, std::string>>;

struct EnvironmentPackages {
  std::string prefix;
  std::string python;
  NamedValues packages;  // name and version
};

struct BugReport {
  CheckReport check;
  std::vector<StackRow> machine;  // system, libc, CPU, driver files, compilers
  NamedValues variables;          // those that decide about loading and about CUDA
  std::vector<EnvironmentPackages> environments;
};

}  // namespace culprit::report

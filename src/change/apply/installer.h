// The installer for a virtual environment, and its settings.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "change/apply/apply.h"

namespace culprit::apply {

struct Installer {
  std::vector<std::string> command;   // without the place to unpack to, and the package
  std::vector<std::string> settings;  // files and variables that it follows, so that the plan can name them
};

// The environment's own pip, or uv. `site`: its directory site-packages.
base::Result<Installer> InstallerOf(const std::string& prefix, const std::string& site, const Place& place);

}  // namespace culprit::apply

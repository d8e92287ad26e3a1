// .culprit.toml of a project: the hosts to check for, the site's rules, and what to ignore and why.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "cli/policy.h"
#include "report/check.h"
#include "report/hosts.h"

namespace culprit::cli {

struct Settings {
  std::vector<report::Host> hosts;
  std::vector<report::Ignored> ignored;  // each with its line
  bool strict = false;
  PolicyFile policy{};
};

// `named`: --settings; "none": no file. "": .culprit.toml in the working directory or the nearest one above
// it, if there is one.
base::Result<Settings> ReadSettings(const std::string& named);

// The codes of --ignore.
base::Result<report::Ignored> IgnoredByOption(const std::string& code);

}  // namespace culprit::cli

// --policy FILE and `policy` of .culprit.toml: a site's own rules.
#pragma once

#include <memory>
#include <string>

#include "base/error.h"
#include "policy/policy.h"

namespace culprit::cli {

// A file and its name in messages.
struct PolicyFile {
  std::string path;   // absolute; "": none
  std::string shown;  // as somebody wrote it
};
PolicyFile PolicyNamed(const std::string& option);

// Null if there is no file.
base::Result<std::shared_ptr<const policy::Policy>> ReadPolicy(const PolicyFile& file);
// Says what is wrong and returns the exit status: a wrong policy is wrong usage.
int FailOfPolicy(const base::Error& error);

}  // namespace culprit::cli

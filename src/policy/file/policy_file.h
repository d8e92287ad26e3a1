// The file of --policy: TOML -> a site's rules. A mistake is one line: "site.toml:4:12: what is wrong, and
// what was expected".
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "policy/policy.h"

namespace culprit::policy {

// `file` is named in errors and in the proof of findings. The bytes are untrusted.
base::Result<Policy> ParsePolicy(std::string_view bytes, const std::string& file);

}  // namespace culprit::policy

// Secrets in command lines and output: what looks like one is replaced before it gets into a record.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace culprit::record {

inline constexpr std::string_view kHidden = "[hidden]";

// Tokens that show what they are (hf_..., ghp_..., sk-..., AKIA..., eyJ... of JWT, passwords in URLs,
// NAME_TOKEN=value,
// "--password value", "Authorization: Bearer ..."), anywhere in a text.
std::string HideSecrets(std::string_view text);
// Of a command line also the value that stands in the argument after "--token".
std::vector<std::string> HideSecrets(const std::vector<std::string>& arguments);

}  // namespace culprit::record

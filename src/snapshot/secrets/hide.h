// Secrets in command lines and output: what looks like one is replaced before it gets into a record. Rather
// one too many than one too few, but what a diagnosis reads (paths, versions, names of functions, model
// settings like max_tokens) stays: redact_test.cc lists both.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace culprit::record {

inline constexpr std::string_view kHidden = "[hidden]";

// Tokens that show what they are (hf_..., ghp_..., sk-..., AKIA..., eyJ... of JWT, private keys, passwords in
// URLs, NAME_TOKEN=value, "--password value", "Authorization: Bearer ..."), anywhere in a text; and each of
// `known`.
std::string HideSecrets(std::string_view text, const std::vector<std::string>& known = {});
// Of a command line also the value that stands in the argument after "--token".
std::vector<std::string> HideSecrets(const std::vector<std::string>& arguments,
                                     const std::vector<std::string>& known = {});

// Values of variables whose names say that they are secret: a program that prints one prints it without a
// name.
std::vector<std::string> SecretValues(const std::map<std::string, std::string>& environment);

}  // namespace culprit::record

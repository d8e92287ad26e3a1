// Secrets in variables, command lines and output: what is one, by its name or by the shape of its value, is
// replaced before it gets into a snapshot or a record, and so into anything that leaves the process. Rather
// one too many than one too few, but what a diagnosis reads (paths, versions, names of functions, model
// settings like max_tokens) stays: hide_test.cc lists both.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace culprit::snapshot {

inline constexpr std::string_view kHidden = "[hidden]";

// Tokens that show what they are (hf_..., ghp_..., sk-..., AKIA..., eyJ... of JWT, private keys, passwords in
// URLs, NAME_TOKEN=value, "--password value", "-u name:password", "Authorization: ..."), anywhere in a text,
// also with colours in them; and each of `known`.
std::string HideSecrets(std::string_view text, const std::vector<std::string>& known = {});
// Only the tokens that show what they are, wherever they stand: for text that is about to be published, where
// a directory may be named after one.
std::string HideTokens(std::string_view text);
// Of a command line also the value that stands in the argument after "--token".
std::vector<std::string> HideSecrets(const std::vector<std::string>& arguments,
                                     const std::vector<std::string>& known = {});

// The value of a variable as it may be shown. Lists of paths stay as they are.
std::string HideVariable(std::string_view name, std::string value);
// Values of variables whose names say that they are secret: a program that prints one prints it without a
// name.
std::vector<std::string> SecretValues(const std::map<std::string, std::string>& environment);

}  // namespace culprit::snapshot

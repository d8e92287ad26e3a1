// Whether the name of a variable, option or field says that its value is secret: the one list of such names.
// secret_name_test.cc has a table of both kinds.
#pragma once

#include <string_view>

namespace culprit::snapshot {

enum class Secrecy {
  kNone,
  kLikely,   // "token", "sig": often no secret in machine learning, so in a text the value has to look like
             // one
  kCertain,  // "password", "api_key", "OPENAI_KEY"
};

Secrecy SecrecyOf(std::string_view name);

// A value that is no secret whatever its name: "true", "", a number of one digit, "$OTHER", "<pad>".
bool IsHarmless(std::string_view value);
// The path of a file, such as a socket or a key file; not any text with '/' in front, as base64 may have.
bool IsPath(std::string_view value);
// Long, of letters and digits, as nobody types it.
bool LooksRandom(std::string_view value);

}  // namespace culprit::snapshot

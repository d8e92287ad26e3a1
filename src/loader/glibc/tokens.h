// Dynamic string tokens of glibc: $ORIGIN, $PLATFORM and $LIB, plain or in braces (notes: gABI; ld.so(8)).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace culprit::loader {

struct TokenValues {
  std::optional<std::string> origin;  // directory of the object that contains the string
  std::optional<std::string> platform;
  std::string lib;
  // Secure mode: $ORIGIN only as the first component, and in the program's own paths only below `trusted`.
  bool secure = false;
  bool is_program = false;
  const std::vector<std::string>* trusted = nullptr;
};

// True if the text contains at least one token that glibc knows.
bool HasToken(std::string_view text);

// The text with its tokens replaced; "" if a token has no value or is not allowed, which means that the whole
// element is dropped. An unknown "$X" stays as it is.
std::string ExpandTokens(std::string_view text, const TokenValues& values);

}  // namespace culprit::loader

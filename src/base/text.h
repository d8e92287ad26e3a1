// Small string functions that several folders need.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace culprit::base {

// "a::b" split at ':' is {"a", "", "b"}; an empty text gives one empty element.
std::vector<std::string> Split(std::string_view text, char separator);
// Splits at any of the separators and drops empty elements.
std::vector<std::string> SplitWords(std::string_view text, std::string_view separators);
std::string_view Trim(std::string_view text);

// "/a/b/c" -> "/a/b"; "/c" -> "/"; "c" -> "".
std::string_view DirName(std::string_view path);
// "/a/b/c" -> "c".
std::string_view BaseName(std::string_view path);
// Joins with exactly one '/'; returns `name` if it is absolute.
std::string JoinPath(std::string_view directory, std::string_view name);
// Removes "//" and "/./"; keeps "..", since a symlink may come before it.
std::string CleanPath(std::string_view path);

bool Contains(std::string_view text, std::string_view part);
bool IsNumber(std::string_view text);  // digits only, at least one
// A shell pattern within one path component: '*', '?' and '[0-9]'.
bool MatchesPattern(std::string_view pattern, std::string_view name);
// The value of an environment variable; "" if it is not set.
std::string ValueOf(const std::map<std::string, std::string>& variables, const std::string& name);

// Characters that are not seen but change what is: controls, direction marks and overrides, zero-width
// joiners and spaces, line and paragraph separators, the byte order mark, tags.
bool IsInvisible(uint32_t sign);
// The first character of a text that is not empty; length 0 if it is not UTF-8.
struct Sign {
  uint32_t code;
  size_t length;
};
Sign SignAt(std::string_view text);
std::string Hex(uint32_t number, size_t digits);  // at least so many

// Makes untrusted text safe for a terminal or a page: control characters and invalid UTF-8 become \xNN, other
// invisible characters \u{202e}, or their bytes \xNN.
enum class Invisible { kCode, kBytes };
std::string Printable(std::string_view text, Invisible invisible = Invisible::kCode);
// The same as a text of YAML or Graphviz: "say \"hello\"".
std::string InDoubleQuotes(std::string_view text);

}  // namespace culprit::base

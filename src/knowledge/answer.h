// The answer to a question about versions: yes, no or unknown, why, and the row that decides.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace culprit::knowledge {

enum class Verdict {
  kYes,
  kNo,
  kUnknown,  // the tables do not say; never show it as yes
};

struct Answer {
  Verdict verdict = Verdict::kUnknown;
  std::string why;          // names both sides, lower case, no period
  std::string_view source;  // of the row that decides; "" if there is none
};

inline Answer Yes(std::string why, std::string_view source) {
  return {Verdict::kYes, std::move(why), source};
}
inline Answer No(std::string why, std::string_view source) { return {Verdict::kNo, std::move(why), source}; }
inline Answer Unknown(std::string why, std::string_view source = "") {
  return {Verdict::kUnknown, std::move(why), source};
}

// Converts a table column to a string, for use in a sentence.
inline std::string Text(std::string_view text) { return std::string(text); }

// A fact in words.
struct Rule {
  std::string_view id;
  std::string_view fact;
  std::string_view source;
};

}  // namespace culprit::knowledge

// How a question about versions is answered: yes, no or unknown, why, and the row that decides.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace culprit::knowledge {

enum class Verdict {
  kYes,
  kNo,
  kUnknown,  // the tables do not say; never to be shown as yes
};

struct Answer {
  Verdict verdict = Verdict::kUnknown;
  std::string why;          // both sides named, lower case, no full stop
  std::string_view source;  // of the row that decides; "" when there is none
};

inline Answer Yes(std::string why, std::string_view source) {
  return {Verdict::kYes, std::move(why), source};
}
inline Answer No(std::string why, std::string_view source) { return {Verdict::kNo, std::move(why), source}; }
inline Answer Unknown(std::string why, std::string_view source = "") {
  return {Verdict::kUnknown, std::move(why), source};
}

// For putting a column of a table into a sentence.
inline std::string Text(std::string_view text) { return std::string(text); }

// A fact in words.
struct Rule {
  std::string_view id;
  std::string_view fact;
  std::string_view source;
};

}  // namespace culprit::knowledge

// The result of `culprit compat`, as plain values.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"

namespace culprit::report {

enum class Compatible { kYes, kNo, kUnknown };
constexpr std::array<std::string_view, 3> WordsOf(Compatible) { return {"yes", "no", "unknown"}; }

struct CompatPair {
  std::string one;  // "driver 535.104.05"
  std::string other;
  Compatible verdict = Compatible::kUnknown;
  std::string why;
  std::string source;  // "" = no row decides
};

struct CompatAnswer {
  // No if one pair is no, else unknown if one is unknown or there is none, else yes.
  Compatible verdict = Compatible::kUnknown;
  std::vector<CompatPair> pairs;
  std::vector<std::string> notes;  // how a value was interpreted if there is more than one possibility
};

}  // namespace culprit::report

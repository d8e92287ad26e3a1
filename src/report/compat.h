// What `culprit compat` says, as plain values.
#pragma once

#include <string>
#include <vector>

namespace culprit::report {

struct CompatPair {
  std::string one;  // "driver 535.104.05"
  std::string other;
  std::string verdict;  // "yes", "no", "unknown"
  std::string why;
  std::string source;  // "" = no row decides
};

struct CompatAnswer {
  std::string
      verdict;  // "no" if one pair is no, else "unknown" if one is unknown or there is none, else "yes"
  std::vector<CompatPair> pairs;
  std::vector<std::string> notes;  // how a value was read where more than one reading is possible
};

}  // namespace culprit::report

// A line of a text file that somebody wrote.
#pragma once

#include <cstddef>
#include <string>

namespace culprit::report {

// Where a requirement stands. Line 0: on the command line.
struct Origin {
  std::string file{};
  size_t line = 0;
  bool operator==(const Origin&) const = default;
};

}  // namespace culprit::report

// The end of what a child wrote to standard error, in a form that can be shown.
#pragma once

#include <string>
#include <string_view>

namespace culprit::probe {

class OutputTail {
 public:
  static constexpr size_t kMost = 8 * 1024;

  void Add(std::string_view bytes);
  // What came since the last time. Lines stay lines; of a line that was written over and over (a progress
  // bar) it is what a terminal shows in the end.
  std::string Take();

 private:
  std::string text_;
};

}  // namespace culprit::probe

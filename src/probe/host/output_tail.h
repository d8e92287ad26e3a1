// The end of what a child wrote to standard error, safe to show.
#pragma once

#include <string>
#include <string_view>

namespace culprit::probe {

class OutputTail {
 public:
  static constexpr size_t kMost = 8 * 1024;

  void Add(std::string_view bytes);
  // What came since the last call. Lines stay lines; for a line that was overwritten (a progress bar), what a
  // terminal shows in the end.
  std::string Take();

 private:
  std::string text_;
};

}  // namespace culprit::probe

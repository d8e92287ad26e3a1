// What a program writes, kept for a record: all of it, or of a long one the beginning and the end, cut
// between lines where lines are not endless and never inside a character.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "snapshot/record/run.h"

namespace culprit::watch {

class KeptText {
 public:
  explicit KeptText(size_t beginning = 64 << 10, size_t end = 192 << 10) : most_(beginning), most_end_(end) {}

  void Add(std::string_view bytes);
  // "\r\n", which a terminal makes of each end of a line, as "\n"; secrets hidden, `known` too.
  record::Text Take(record::Channel name, const std::vector<std::string>& known);

 private:
  size_t most_, most_end_;
  std::string beginning_;
  std::string end_;  // up to twice as long: it is cut now and then, not for each byte
  uint64_t left_out_ = 0, left_out_lines_ = 0;

  void Drop(size_t bytes);  // from the front of end_
};

}  // namespace culprit::watch

// The output of a program, kept for a record: all of it, or the beginning and the end of long output. It is
// cut between lines, unless they are very long, and never inside a character.
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
  // With "\n" for the "\r\n" of a terminal, and with secrets hidden, including the `known` ones.
  record::Text Take(record::Channel name, const std::vector<std::string>& known);

 private:
  size_t most_, most_end_;
  std::string beginning_;
  std::string end_;  // up to twice as long, since it is cut only now and then
  uint64_t left_out_ = 0, left_out_lines_ = 0;

  void Drop(size_t bytes);  // from the front of end_
};

}  // namespace culprit::watch

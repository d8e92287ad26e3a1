// Bytes of a log -> symptoms, in memory that does not depend on its size.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_stream.h"
#include "explain/logs/symptom.h"

namespace culprit::logs {

class LogReader {
 public:
  // `input` is noted in every symptom.
  explicit LogReader(size_t input = 0);
  ~LogReader();
  LogReader(LogReader&&) noexcept;

  // Where the next bytes may be put, and how many were.
  std::span<char> Room();
  void Added(size_t count);
  // No more bytes, or none for now: the last line counts as complete, and a message of several lines as
  // ended.
  void Flush();

  // In the order of the log; the same symptom again is counted, not repeated. What a longer text merely
  // mentions is left out.
  std::vector<Symptom> symptoms() const;
  uint64_t lines() const;

 private:
  struct Memory;
  struct Segment;
  struct Neighbourhood;

  void Process(bool complete);
  // False when the lines that follow are needed and not here yet.
  bool ReadSegment(const Segment& segment, bool complete);
  // What the words of a short text suggest that shows no failure otherwise.
  void TakeHints(std::string_view text);
  // `reach` lines from the segment on, and as many up to it.
  Neighbourhood Around(const Segment& segment, uint32_t reach) const;
  // Every match of a signature in `subject` that begins in its first line, which ends at `first_line` and has
  // this number, and ends at `here` or after it.
  void Match(size_t index, const std::string& subject, size_t first_line, size_t here, uint64_t number);
  void Note(Symptom symptom);

  std::unique_ptr<Memory> memory_;
  size_t input_;
  std::string buffer_;
  size_t size_ = 0;
  size_t done_ = 0;     // of the buffer; what is before was looked at
  uint64_t lines_ = 0;  // line ends before `counted_`
  size_t counted_ = 0;
  bool only_mentions_ = false;  // by the beginning of the text
  bool began_ = false;
  std::vector<Symptom> symptoms_;
};

// Everything of a stream.
base::Result<LogReader> ReadLog(base::ByteStream& stream, size_t input = 0);

}  // namespace culprit::logs

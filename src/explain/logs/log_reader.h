// Bytes of a log -> symptoms, with memory use independent of its size.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "explain/logs/anchors.h"
#include "explain/logs/candidates.h"
#include "explain/logs/symptom.h"

namespace culprit::logs {

class LogReader {
 public:
  static constexpr uint64_t kLongestRequest = 80;  // lines; a longer text that speaks of errors is a document

  // Every symptom records `input`.
  // `at_least`: how many lines the text had before its broken lines were joined.
  explicit LogReader(size_t input = 0, uint64_t at_least = 0);
  ~LogReader();
  LogReader(LogReader&&) noexcept;

  // Buffer for the next bytes, and how many were written to it.
  std::span<char> Room();
  void Added(size_t count);
  // No more bytes, or none for now: the last line counts as complete, and a message of several lines as
  // finished.
  void Flush();

  // In log order; a repeated symptom is counted, not listed again. What a longer text only mentions is left
  // out.
  std::vector<Symptom> symptoms() const { return SymptomsWith(!Tells() && asks_for_help()); }
  // With `talk`, what stands in sentences counts where nothing else does.
  std::vector<Symptom> SymptomsWith(bool talk) const;
  // Of what was left out, the first failure that is not in source code or a setting; nullptr if there is
  // none.
  const Symptom* Mentioned() const;
  // Whether the text says of what this signature found that it did not happen.
  bool Denies(const knowledge::Signature& signature) const;
  uint64_t lines() const;
  uint64_t shown_lines() const;  // that are not blank, of a short text; of a longer one all
  // The end of what was read, from the start of a line; all of it unless `is_cut`.
  struct Tail {
    std::string_view text;
    uint64_t first_line = 1;
    bool is_cut = false;
  };
  Tail tail() const;
  // What kind of text it is, judging by its start (mention.h).
  bool only_mentions() const { return only_mentions_; }
  bool asks_for_help() const;

 private:
  static constexpr uint64_t kFewLines = 5;    // somebody pasted only the message, so it is meant literally
  static constexpr uint64_t kShortText = 40;  // lines; somebody chose what to show

  // Something failed, and not only in words.
  bool Tells() const;
  bool Happened(const Symptom& symptom) const;
  bool Asks(std::string_view beginning) const;

  struct Segment;
  struct Neighbourhood;

  void Process(bool complete);
  // False if following lines are needed but not there yet.
  bool ReadSegment(const Segment& segment, bool complete);
  // Whether none of these signatures is in the segment: many lines are looked at together, and the answer is
  // remembered for those that follow.
  bool IsQuiet(Candidates::Group& group, const Segment& segment);
  // The same of a place where an anchor was found, if a block that holds it was looked at last.
  bool IsKnownQuiet(const AnchorFinder::Hit& hit);
  void CountUpTo(size_t position);
  // Hints from the words of a short text that shows no other failure.
  void TakeHints(std::string_view text);
  // The line is known to look worse than it is; near the start of the text.
  bool IsHarmless(uint64_t line) const;
  // The same of lines that are one message: whatever else matches there is that message, too.
  bool IsWhollyHarmless(const Symptom& symptom) const;
  // `reach` lines starting at the segment, and as many before it.
  Neighbourhood Around(const Segment& segment, uint32_t reach) const;
  // Lines as one text, on which signatures are tried.
  struct Window {
    std::string text;
    size_t first_line = 0;  // where its first line ends
    size_t here = 0;        // where the line with the anchor starts
  };
  static Window WindowOf(const Neighbourhood& around, size_t first, size_t lines);
  // Every match of a signature that starts in the first line of the window, which has this number, and that
  // ends at or after the line with the anchor.
  void Match(size_t index, const Window& window, uint64_t number);
  // Records a match in the window, or counts it.
  void Note(Symptom symptom, const Window& window, size_t begin, size_t end);

  Candidates candidates_;
  Candidates::Group* quiet_ = nullptr;            // whose block of lines was looked at last
  std::unordered_map<std::string, size_t> seen_;  // what was recorded -> where in symptoms_
  size_t input_;
  uint64_t at_least_;
  std::string buffer_;
  size_t size_ = 0;
  size_t done_ = 0;     // position in the buffer; everything before was examined
  uint64_t gone_ = 0;   // bytes of the log before the buffer
  uint64_t lines_ = 0;  // line ends before `counted_`
  size_t counted_ = 0;
  bool only_mentions_ = false;                 // judging by the start of the text
  mutable std::optional<bool> asks_for_help_;  // found out when it is needed
  bool of_cuda_ = true;
  bool other_gpu_ = false;  // about the GPU of another maker
  bool no_nvidia_ = false;  // somebody says that there is no GPU of NVIDIA's
  bool began_ = false;
  std::vector<Symptom> symptoms_;
  std::vector<uint64_t> harmless_lines_, wholly_harmless_;
};

}  // namespace culprit::logs

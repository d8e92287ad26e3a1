#include "anchors.h"

#include <algorithm>
#include <utility>

namespace generate {
namespace {

constexpr std::string_view kRepeats = "*?{";

// Reads the top level of an expression from left to right, collecting runs of plain characters.
class Runs {
 public:
  explicit Runs(std::string_view pattern) : pattern_(pattern) {}

  // One for each alternative at the top level.
  std::vector<std::string> Longest() {
    std::vector<std::string> found;
    while (at_ < pattern_.size()) {
      const char c = pattern_[at_++];
      if (c == '|') {
        EndRun();
        found.push_back(std::exchange(longest_, ""));
      } else if (c == '(') {
        SkipGroup();
        EndRun();
      } else if (c == '[') {
        SkipClass();
        EndRun();
      } else if (c == '\\') {
        Escaped();
      } else if (std::string_view(".^$+*?{}").find(c) != std::string_view::npos) {
        if (c == '{') at_ = std::min(pattern_.find('}', at_), pattern_.size() - 1) + 1;
        EndRun();
      } else {
        Add(c);
      }
    }
    EndRun();
    found.push_back(longest_);
    return found;
  }

 private:
  bool RepeatFollows() const {
    return at_ < pattern_.size() && kRepeats.find(pattern_[at_]) != std::string_view::npos;
  }

  void Add(char c) {
    if (RepeatFollows()) {  // may be absent
      EndRun();
    } else {
      run_ += c;
    }
  }

  void Escaped() {
    const char c = at_ < pattern_.size() ? pattern_[at_++] : '\\';
    const bool letter_or_digit = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter_or_digit) {  // a class (\d), an assertion (\b) or a control character (\n)
      EndRun();
    } else {
      Add(c);
    }
  }

  void SkipClass() {
    if (at_ < pattern_.size() && pattern_[at_] == '^') ++at_;
    if (at_ < pattern_.size() && pattern_[at_] == ']') ++at_;
    while (at_ < pattern_.size() && pattern_[at_] != ']') at_ += pattern_[at_] == '\\' ? 2 : 1;
    ++at_;
  }

  void SkipGroup() {
    for (int depth = 1; at_ < pattern_.size() && depth > 0;) {
      const char c = pattern_[at_++];
      if (c == '\\') ++at_;
      if (c == '[') SkipClass();
      if (c == '(') ++depth;
      if (c == ')') --depth;
    }
  }

  void EndRun() {
    if (run_.size() > longest_.size()) longest_ = run_;
    run_.clear();
  }

  std::string_view pattern_;
  size_t at_ = 0;
  std::string run_, longest_;
};

}  // namespace

std::vector<std::string> AnchorsOf(std::string_view pattern) {
  std::vector<std::string> anchors = Runs(pattern).Longest();
  for (const std::string& anchor : anchors) {
    if (anchor.size() < kShortestAnchor) return {};
  }
  return anchors;
}

}  // namespace generate

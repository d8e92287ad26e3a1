// Which signatures are worth trying on a line, and which are not any more.
#pragma once

#include <re2/set.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace culprit::logs {

class Candidates {
 public:
  Candidates();

  // The signatures with an anchor in the segment, in table order.
  std::vector<size_t> In(std::string_view segment) const;
  // Whether a signature with this anchor is still searched for.
  bool IsLive(size_t anchor) const;
  // Counts a match. One that was found often enough is not searched for again: a log that repeats itself.
  void Matched(size_t signature, uint32_t enough);

  // Signatures that come up together again and again: one look at a text answers for all of them.
  class Group {
   public:
    explicit Group(const std::vector<size_t>& signatures);

    uint32_t reach() const { return reach_; }  // lines that the longest of them may span
    // False: none of those that span one line is in `lines`; none of the others is in `windows`. Both hold
    // whole lines, one or many.
    bool MayMatchLine(const std::string& lines) const { return MayMatch(of_line_, lines); }
    bool MayMatchWindow(const std::string& windows) const { return MayMatch(of_window_, windows); }
    // Those that may match one line, or a window of the lines around it; in table order.
    std::vector<size_t> Matching(const std::string& line, const std::string& window) const;

    uint64_t quiet_until = 0;  // where in the log the lines end that were looked at together
    size_t ahead = 0;          // how many lines were looked at beyond the first
    size_t spared = 0;         // how many of them did not have to be looked at one by one

   private:
    friend class Candidates;
    struct Part {
      std::vector<size_t> signatures;
      std::unique_ptr<RE2::Set> set;  // nullptr if there are none, or too many
    };
    static bool MayMatch(const Part& part, const std::string& text);
    // Those that may match.
    static std::vector<size_t> Matching(const Part& part, const std::string& text);

    std::vector<size_t> signatures_;
    std::vector<char> covers_;  // of each anchor: yes, no, or not asked yet
    Part of_line_, of_window_;
    uint32_t reach_ = 1;
  };
  // nullptr unless they came up often.
  Group* GroupOf(const std::vector<size_t>& candidates);
  // Whether every signature with this anchor that is still searched for belongs to the group.
  bool IsCovered(size_t anchor, Group& group) const;

 private:
  struct Together {
    uint32_t uses = 0;
    std::unique_ptr<Group> group;
  };

  std::vector<bool> done_;
  std::vector<uint32_t> matches_;
  std::map<std::vector<size_t>, Together> together_;
  size_t groups_ = 0;
};

}  // namespace culprit::logs

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
  // Without those that are not searched for any more.
  std::vector<size_t> Live(std::vector<size_t> signatures) const;
  // Whether a signature with this anchor is still searched for.
  bool IsLive(size_t anchor) const;
  // Counts a match. One that was found often enough is not searched for again: a log that repeats itself.
  void Matched(size_t signature, uint32_t enough);

  // Signatures that come up together again and again: one look at a text answers for all of them. To make
  // their expression takes as long as to read thousands of lines, so it is kept when some of them are done.
  struct Group {
    struct Part {
      std::vector<size_t> signatures;
      std::unique_ptr<RE2::Set> set;  // nullptr if there are none, or too many
    };

    Part of_line, of_window;   // those that span one line, and the others
    uint32_t reach = 1;        // lines that the longest of them may span
    uint64_t quiet_until = 0;  // where in the log the lines end that were looked at together
    size_t ahead = 0;          // how many lines were looked at beyond the first
    size_t spared = 0;         // how many of them did not have to be looked at one by one
    std::vector<char> covers;  // of each anchor: yes, no, or not asked yet
  };
  // nullptr unless they came up often.
  Group* GroupOf(const std::vector<size_t>& candidates);
  // Whether every signature with this anchor that is still searched for belongs to the group.
  bool IsCovered(size_t anchor, Group& group) const;
  // Those that may match and are still searched for, in table order: those of one line in `lines`, the others
  // in `windows`, which holds every window of lines. Both are whole lines, one or many.
  std::vector<size_t> Matching(const Group& group, const std::string& lines,
                               const std::string& windows) const;
  // Whether there are any.
  bool MayMatch(const Group& group, const std::string& lines, const std::string& windows) const;

 private:
  struct Together {
    uint32_t uses = 0;
    std::unique_ptr<Group> group;
  };

  std::vector<size_t> Matching(const Group::Part& part, const std::string& text) const;
  bool MayMatch(const Group::Part& part, const std::string& text) const;

  std::vector<bool> done_;
  std::vector<uint32_t> matches_;
  std::map<std::vector<size_t>, Together> together_;
  size_t groups_ = 0;
};

}  // namespace culprit::logs

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
  // Counts a match. One that can say nothing new is not searched for again, nor one that was found very
  // often: a log that repeats itself.
  void Matched(size_t signature, bool says_nothing_new);

  // Drops those of which one look at the text says that they do not match: `line` is for those that span one
  // line, `window` holds every window of lines that the others are tried on. Where the same candidates come
  // up again and again, one expression answers for all of them.
  void Reject(std::vector<size_t>& candidates, const std::string& line, const std::string& window);

 private:
  struct Together {
    uint32_t uses = 0;
    std::unique_ptr<RE2::Set> of_line, of_window;
  };

  std::vector<bool> done_;
  std::vector<uint32_t> matches_;
  std::map<std::vector<size_t>, Together> together_;
  size_t sets_ = 0;
};

}  // namespace culprit::logs

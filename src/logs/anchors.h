// Finds literals in gigabytes of text: the prefilter that keeps regular expressions away from lines that
// cannot match.
//
// Every anchor is at least kShortest = 7 bytes long, so wherever it lies, four of its bytes stand at an
// offset that is a multiple of four. Only those places are looked at: their four bytes, with the case
// folded, are hashed into a bitmap that fits into the first-level cache. A hit is verified by comparing the
// whole literal.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace culprit::logs {

class AnchorFinder {
 public:
  static constexpr size_t kShortest = 7;

  // Each at least kShortest bytes; they are found in any case of ASCII letters.
  explicit AnchorFinder(std::span<const std::string_view> anchors);

  struct Hit {
    size_t at = 0;      // where the anchor begins
    size_t anchor = 0;  // its index
  };
  // The hits that begin in [from, text.size()), in no strict order, by calling `found(hit)` until it returns
  // false. A place where two anchors begin gives two hits.
  template <typename Found>
  void Find(std::string_view text, size_t from, Found found) const {
    // A hit that begins at `from` may be noticed only at one of the next multiples of four.
    for (size_t at = NextPlace(text, from & ~size_t{3}); at + 4 <= text.size();
         at = NextPlace(text, at + 4)) {
      const auto entries = entries_.find(Folded(text.data() + at));
      if (entries == entries_.end()) continue;
      for (const Entry& entry : entries->second) {
        if (at < entry.offset || at - entry.offset < from) continue;
        if (Matches(text, at - entry.offset, entry.anchor) && !found(Hit{at - entry.offset, entry.anchor}))
          return;
      }
    }
  }

 private:
  struct Entry {
    uint32_t anchor;
    uint32_t offset;  // of the four bytes within it
  };

  static uint32_t Folded(const char* bytes);
  // The next multiple of four, from `at` on, whose bytes may belong to an anchor; text.size() when none.
  size_t NextPlace(std::string_view text, size_t at) const;
  bool Matches(std::string_view text, size_t at, uint32_t anchor) const;

  std::vector<std::string> anchors_;  // lower case
  std::array<uint64_t, 1024> bitmap_{};
  std::unordered_map<uint32_t, std::vector<Entry>> entries_;
};

// How many line ends a text has.
size_t CountLines(std::string_view text);

}  // namespace culprit::logs

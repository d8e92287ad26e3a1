// Finds literals in gigabytes of text: the prefilter that keeps regular expressions away from lines that
// cannot match.
//
// Only every fourth position of a text is examined. An anchor of at least 11 bytes always covers eight bytes
// that start at such a position; one of at least 7 covers four. These bytes, case-folded, are hashed into one
// of two small bitmaps. A hit is looked up in a table and verified by comparing the whole literal.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace culprit::logs {

class AnchorFinder {
 public:
  static constexpr size_t kShortest = 7;

  // Each has at least kShortest bytes; ASCII letters match in either case.
  explicit AnchorFinder(std::span<const std::string_view> anchors);
  AnchorFinder(const AnchorFinder&) = delete;

  struct Hit {
    size_t at = 0;      // where the anchor starts
    size_t anchor = 0;  // its index
  };
  // Calls `found(hit)` for the hits that start in [from, text.size()), not strictly in order, until it
  // returns false. If two anchors start at one position, there are two hits.
  template <typename Found>
  void Find(std::string_view text, size_t from, Found found) const {
    // A hit that starts at `from` is noticed at one of the next multiples of four.
    for (size_t at = NextPlace(text, from & ~size_t{3}); at < text.size();
         at = NextPlace(text, at + kStride)) {
      for (const std::span<const Entry> entries : {EntriesOf(text, at, kLong), EntriesOf(text, at, kShort)}) {
        for (const Entry& entry : entries) {
          if (at < entry.offset || at - entry.offset < from) continue;
          if (Matches(text, at - entry.offset, entry.anchor) && !found(Hit{at - entry.offset, entry.anchor}))
            return;
        }
      }
    }
  }

 private:
  static constexpr size_t kStride = 4;
  static constexpr size_t kLong = 8, kShort = 4;  // bytes that are examined

  struct Entry {
    uint32_t anchor;
    uint32_t offset;  // of the examined bytes within the anchor
  };
  // All entries with the same examined bytes.
  struct Slot {
    uint64_t bytes = 0;
    uint32_t first = 0, count = 0;  // in entries_; count 0 = an empty slot
  };

  size_t NextPlace(std::string_view text, size_t at) const;
  std::span<const Entry> EntriesOf(std::string_view text, size_t at, size_t width) const;
  bool Matches(std::string_view text, size_t at, uint32_t anchor) const;

  std::string letters_;                    // of all anchors, lower case
  std::vector<std::string_view> anchors_;  // in it
  std::array<uint64_t, 4096> long_{};      // one bit for each of 2^18 hashes
  std::array<uint64_t, 1024> short_{};     // of 2^16
  std::vector<Slot> slots_;
  std::vector<Entry> entries_;
};

// How many line ends a text has.
size_t CountLines(std::string_view text);

}  // namespace culprit::logs

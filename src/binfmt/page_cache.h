// A few pages of a file that is read at scattered places. ELF tables and strings are clustered, so a typical
// library takes four to six reads; the first one gets the headers. Nothing outside the file can be reached:
// offsets are checked before anything is added to them, and a short read counts as "not there".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/bytes/byte_source.h"

namespace culprit::binfmt {

class PageCache {
 public:
  explicit PageCache(const base::ByteSource& source) : source_(source), size_(source.size()) {}
  PageCache(const PageCache&) = delete;
  PageCache& operator=(const PageCache&) = delete;

  static constexpr size_t kMaxRecord = 64;

  uint64_t size() const { return size_; }
  // True once the source has failed (reaching its end is no failure).
  bool failed() const { return failed_; }

  // The bytes of a record of up to kMaxRecord bytes, valid until the next question; nullptr if some of them
  // are not there.
  const std::byte* Record(uint64_t offset, size_t size) {
    const size_t skip = static_cast<size_t>(offset % kPageSize);
    if (slots_[last_].page == offset / kPageSize && skip + size <= slots_[last_].length)  // nearly always
      return bytes_[last_].data() + skip;
    return FindRecord(offset, size);
  }
  // Copies exactly out.size() bytes; false if some of them are not there.
  bool Copy(uint64_t offset, std::span<std::byte> out);
  // Copies up to `out.size()` bytes and returns how many there were.
  size_t CopySome(uint64_t offset, std::span<std::byte> out);
  // The text from `offset` up to its NUL; nullopt if there is none before `end` or the end of the file. Every
  // byte examined counts against `budget`, and a longer text is not returned.
  std::optional<std::string> CString(uint64_t offset, uint64_t end, uint64_t& budget);

 private:
  static constexpr uint64_t kPageSize = 2048;
  static constexpr size_t kSlots = 16;
  static constexpr uint64_t kNoPage = ~uint64_t{0};

  struct Slot {
    uint64_t page = kNoPage;
    size_t length = 0;
  };

  const std::byte* FindRecord(uint64_t offset, size_t size);
  // Whether the page is there, or can be read; it is the one used last then.
  bool Find(uint64_t page);
  bool Read(uint64_t page);
  std::span<const std::byte> Bytes(size_t slot) const {
    return std::span(bytes_[slot]).first(slots_[slot].length);
  }
  // The bytes from `offset` to the end of its page or of the file; empty if there are none.
  std::span<const std::byte> From(uint64_t offset);

  const base::ByteSource& source_;
  uint64_t size_;
  bool failed_ = false;
  size_t last_ = 0;  // the slot used last
  size_t next_ = 0;  // the slot that the next new page takes
  std::array<Slot, kSlots> slots_;
  std::array<std::byte, kMaxRecord> record_;                    // one that is on two pages
  std::array<std::array<std::byte, kPageSize>, kSlots> bytes_;  // memory that most files do not touch
};

}  // namespace culprit::binfmt

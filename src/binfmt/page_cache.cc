// A page has one slot: the tables of one file are in few places, and a collision only costs a read. Pages of
// 2 KiB measured best: larger ones copy more than they save in calls.
#include "binfmt/page_cache.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace culprit::binfmt {

bool PageCache::Find(uint64_t page) {
  if (slots_[last_].page == page) return true;  // nearly always
  const auto found = std::ranges::find(slots_, page, &Slot::page);
  if (found == slots_.end()) return false;
  last_ = static_cast<size_t>(found - slots_.begin());
  return true;
}

const std::byte* PageCache::FindRecord(uint64_t offset, size_t size) {
  if (offset > size_ || size > size_ - offset) return nullptr;
  const auto here = From(offset);
  if (here.size() >= size) return here.data();
  return CopySome(offset, std::span(record_).first(size)) == size ? record_.data() : nullptr;
}

bool PageCache::Read(uint64_t page) {
  slots_[next_].page = kNoPage;
  const auto read = source_.ReadAt(page * kPageSize, bytes_[next_]);
  if (!read) {
    failed_ = true;
    return false;
  }
  slots_[next_] = {page, std::min<size_t>(*read, kPageSize)};
  last_ = std::exchange(next_, (next_ + 1) % kSlots);
  return true;
}

std::span<const std::byte> PageCache::From(uint64_t offset) {
  if (offset >= size_) return {};
  const uint64_t page = offset / kPageSize;
  if (!Find(page) && !Read(page)) return {};
  const auto bytes = Bytes(last_);
  return bytes.subspan(std::min<size_t>(offset % kPageSize, bytes.size()));
}

size_t PageCache::CopySome(uint64_t offset, std::span<std::byte> out) {
  size_t done = 0;
  while (done < out.size()) {
    const auto here = From(offset + done);
    if (here.empty()) break;
    const size_t n = std::min(here.size(), out.size() - done);
    std::memcpy(out.data() + done, here.data(), n);
    done += n;
  }
  return done;
}

bool PageCache::Copy(uint64_t offset, std::span<std::byte> out) {
  if (offset > size_ || out.size() > size_ - offset) return false;
  return CopySome(offset, out) == out.size();
}

std::optional<std::string> PageCache::CString(uint64_t offset, uint64_t end, uint64_t& budget) {
  std::string text;
  end = std::min(end, size_);
  while (offset < end && budget > 0) {
    auto here = From(offset);
    if (here.empty()) return std::nullopt;
    here = here.first(static_cast<size_t>(std::min({uint64_t{here.size()}, end - offset, budget})));
    const void* nul = std::memchr(here.data(), 0, here.size());
    const size_t n =
        nul == nullptr ? here.size() : static_cast<size_t>(static_cast<const std::byte*>(nul) - here.data());
    const auto* const letters = reinterpret_cast<const char*>(here.data());
    budget -= n;
    if (nul != nullptr && text.empty())
      return std::optional<std::string>(std::in_place, letters, n);  // nearly always
    text.append(letters, n);
    if (nul != nullptr) return text;
    offset += n;
  }
  return std::nullopt;
}

}  // namespace culprit::binfmt

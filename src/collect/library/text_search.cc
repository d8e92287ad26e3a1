#include "collect/library/text_search.h"

#include <algorithm>
#include <span>
#include <vector>

#include "base/version.h"

namespace culprit::collect {
namespace {

constexpr uint64_t kChunk = 1 << 20;
constexpr uint64_t kTextLimit = 200;

// Looks through the bytes from `begin` on, as far as they can be read and fit into `room`.
std::optional<std::string> SearchRange(const base::ByteSource& source, std::string_view marker,
                                       uint64_t begin, std::span<char> room) {
  const auto got = source.ReadAt(begin, std::as_writable_bytes(room));
  const std::string_view bytes(room.data(), got.value_or(0));
  const size_t at = bytes.find(marker);
  if (at == std::string_view::npos) return std::nullopt;
  std::string text(bytes.substr(at + marker.size(), kTextLimit));
  const auto stop = std::ranges::find_if(text, [](char c) { return c < ' ' || c > '~'; });
  text.erase(stop, text.end());
  return text;
}

// Keeps the highest of the constants in `bytes`.
void TakeVersions(std::string_view bytes, const std::string& marker, std::string& highest) {
  for (size_t at = bytes.find(marker); at != std::string_view::npos; at = bytes.find(marker, at + 1)) {
    const size_t end = bytes.find('\0', at + 1);
    if (end == std::string_view::npos) return;
    const std::string text(bytes.substr(at + 1, std::min<size_t>(end - at - 1, kTextLimit)));
    const auto version = base::Version::Parse(text), known = base::Version::Parse(highest);
    if (version && (!known || *known < *version)) highest = text;
  }
}

}  // namespace

std::string VersionConstant(const base::ByteSource& source, std::string_view prefix, uint64_t limit) {
  const std::string marker = std::string(1, '\0') + std::string(prefix);
  const uint64_t overlap = marker.size() + kTextLimit;
  std::vector<char> room(static_cast<size_t>(std::min(source.size(), kChunk + overlap)));
  std::string highest;
  for (uint64_t begin = 0; begin < std::min(limit, source.size()); begin += kChunk) {
    const auto got = source.ReadAt(begin, std::as_writable_bytes(std::span(room)));
    TakeVersions({room.data(), got.value_or(0)}, marker, highest);
  }
  return highest;
}

std::optional<std::string> TextAfter(const base::ByteSource& source, std::string_view marker, SearchFrom from,
                                     uint64_t limit) {
  const uint64_t size = source.size();
  limit = std::min(limit, size);
  // Chunks overlap, so a text across the border is found whole.
  const uint64_t overlap = marker.size() + kTextLimit;
  std::vector<char> room(static_cast<size_t>(std::min(size, kChunk + overlap)));
  for (uint64_t done = 0; done < limit; done += kChunk) {
    const uint64_t length = std::min(kChunk, limit - done);
    const uint64_t begin = from == SearchFrom::kStart ? done : size - done - length;
    const uint64_t end = std::min(size, begin + length + overlap);
    const auto here = std::span(room).first(static_cast<size_t>(end - begin));
    if (auto text = SearchRange(source, marker, begin, here)) return text;
  }
  return std::nullopt;
}

}  // namespace culprit::collect

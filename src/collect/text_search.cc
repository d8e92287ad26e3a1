#include "collect/text_search.h"

#include <algorithm>
#include <span>

namespace culprit::collect {
namespace {

constexpr uint64_t kChunk = 1 << 20;
constexpr uint64_t kTextLimit = 200;

// Bytes [begin, end) as far as they can be read.
std::string ReadRange(const base::ByteSource& source, uint64_t begin, uint64_t end) {
  std::string bytes(static_cast<size_t>(end - begin), '\0');
  const auto got = source.ReadAt(begin, std::as_writable_bytes(std::span(bytes)));
  bytes.resize(got ? *got : 0);
  return bytes;
}

std::optional<std::string> SearchRange(const base::ByteSource& source, std::string_view marker,
                                       uint64_t begin, uint64_t end) {
  const std::string bytes = ReadRange(source, begin, end);
  const size_t at = bytes.find(marker);
  if (at == std::string::npos) return std::nullopt;
  std::string text = bytes.substr(at + marker.size(), kTextLimit);
  const auto stop = std::ranges::find_if(text, [](char c) { return c < ' ' || c > '~'; });
  text.erase(stop, text.end());
  return text;
}

}  // namespace

std::optional<std::string> TextAfter(const base::ByteSource& source, std::string_view marker, SearchFrom from,
                                     uint64_t limit) {
  const uint64_t size = source.size();
  limit = std::min(limit, size);
  // Each chunk reads on into the next one, so that a text across the border is found whole.
  const uint64_t overlap = marker.size() + kTextLimit;
  for (uint64_t done = 0; done < limit; done += kChunk) {
    const uint64_t length = std::min(kChunk, limit - done);
    const uint64_t begin = from == SearchFrom::kStart ? done : size - done - length;
    if (auto text = SearchRange(source, marker, begin, std::min(size, begin + length + overlap))) return text;
  }
  return std::nullopt;
}

}  // namespace culprit::collect

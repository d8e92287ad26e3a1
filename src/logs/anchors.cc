#include "logs/anchors.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace culprit::logs {
namespace {

constexpr size_t kWindow = 4;
constexpr size_t kStride = 4;

constexpr uint32_t Hash(uint32_t window) { return (window * 0x9E3779B1u) >> 16; }

constexpr char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// How common a byte is in text, roughly; rare bytes make better places to look at.
constexpr uint32_t Commonness(char c) {
  constexpr std::string_view kCommonFirst = " etaoinsrlhd.cumfpgw0y1b,:v2-/k3";
  const size_t rank = kCommonFirst.find(c);
  return rank == std::string_view::npos ? 1 : static_cast<uint32_t>(kCommonFirst.size() - rank + 4);
}

// Where in an anchor its kShortest rarest neighbouring bytes begin.
size_t RarestPart(std::string_view anchor) {
  size_t best = 0;
  uint32_t lowest = ~0u;
  for (size_t at = 0; at + AnchorFinder::kShortest <= anchor.size(); ++at) {
    uint32_t score = 0;
    for (const char c : anchor.substr(at, AnchorFinder::kShortest)) score += Commonness(c);
    if (score < lowest) {
      lowest = score;
      best = at;
    }
  }
  return best;
}

}  // namespace

AnchorFinder::AnchorFinder(std::span<const std::string_view> anchors) {
  for (const std::string_view anchor : anchors) {
    const auto index = static_cast<uint32_t>(anchors_.size());
    std::string& lower = anchors_.emplace_back(anchor);
    std::ranges::transform(lower, lower.begin(), Lower);
    const size_t part = RarestPart(lower);
    for (size_t offset = part; offset < part + kStride && offset + kWindow <= lower.size(); ++offset) {
      const uint32_t window = Folded(lower.data() + offset);
      entries_[window].push_back({index, static_cast<uint32_t>(offset)});
      const uint32_t hash = Hash(window);
      bitmap_[hash >> 6] |= uint64_t{1} << (hash & 63);
    }
  }
}

// Setting the bit that tells lower from upper case folds letters; other bytes are folded alike on both sides.
uint32_t AnchorFinder::Folded(const char* bytes) {
  uint32_t window;
  std::memcpy(&window, bytes, kWindow);
  return window | 0x20202020u;
}

size_t AnchorFinder::NextPlace(std::string_view text, size_t at) const {
  const auto maybe = [&](size_t place) {
    const uint32_t hash = Hash(Folded(text.data() + place));
    return (bitmap_[hash >> 6] >> (hash & 63)) & 1;
  };
  for (; at + 4 * kStride <= text.size(); at += 4 * kStride) {
    const uint64_t any =
        maybe(at) | maybe(at + kStride) << 1 | maybe(at + 2 * kStride) << 2 | maybe(at + 3 * kStride) << 3;
    if (any != 0) return at + kStride * static_cast<size_t>(std::countr_zero(any));
  }
  for (; at + kWindow <= text.size(); at += kStride) {
    if (maybe(at) != 0) return at;
  }
  return text.size();
}

bool AnchorFinder::Matches(std::string_view text, size_t at, uint32_t anchor) const {
  const std::string& wanted = anchors_[anchor];
  if (text.size() - at < wanted.size()) return false;
  return std::equal(wanted.begin(), wanted.end(), text.begin() + static_cast<std::ptrdiff_t>(at),
                    [](char a, char b) { return a == Lower(b); });
}

size_t CountLines(std::string_view text) {
  // In pieces of 255 the sum fits into a byte, which lets the compiler count in all lanes of a vector.
  size_t lines = 0;
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, 255);
    uint8_t in_piece = 0;
    for (const char c : piece) in_piece = static_cast<uint8_t>(in_piece + (c == '\n'));
    lines += in_piece;
    text.remove_prefix(piece.size());
  }
  return lines;
}

}  // namespace culprit::logs

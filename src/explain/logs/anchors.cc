#include "explain/logs/anchors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace culprit::logs {
namespace {

constexpr size_t kSlots = 1 << 15;
constexpr uint32_t kCommonFour = 60;  // as bad as two of the most common bytes

// Setting the bit that distinguishes lower from upper case folds letters; other bytes are folded the same way
// on both sides.
uint64_t Long(const char* bytes) {
  uint64_t window;
  std::memcpy(&window, bytes, sizeof window);
  return window | 0x2020202020202020u;
}
uint64_t Short(const char* bytes) {
  uint32_t window;
  std::memcpy(&window, bytes, sizeof window);
  return window | 0x20202020u;
}

// The upper bits of a product depend on all bytes: eighteen bits for eight bytes, sixteen for four.
constexpr uint64_t Hash(uint64_t window) { return (window * 0x9E3779B97F4A7C15u) >> 46; }

constexpr char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// How common a byte is in text, roughly; rare bytes are better to search for.
consteval auto CommonBytes() {
  constexpr std::string_view kCommonFirst = " etaoinsrlhd.cumfpgw0y1b,:v2-/k3";
  std::array<uint8_t, 256> common{};
  common.fill(1);
  for (size_t rank = 0; rank < kCommonFirst.size(); ++rank)
    common[static_cast<uint8_t>(kCommonFirst[rank])] = static_cast<uint8_t>(kCommonFirst.size() - rank + 4);
  return common;
}
constexpr auto kCommonBytes = CommonBytes();
constexpr uint32_t Commonness(char c) { return kCommonBytes[static_cast<uint8_t>(c)]; }

// The most common sequences of four bytes in the logs, listings and documents of tests/explain/clean.
constexpr std::string_view kCommonFours =
    "cudaerrorrorcudnudnning statnvidvidiidiatatuatus the cudthe  errtiondnn_ersision_stavers"
    "time/liblibcrorsmemoemormorytus_ nvirsiodia-file of .so.linuinuxn_stnn_sion uda compvice"
    "ibculib/ in load libuntitorcorchtestarchruntntimror:atchcess verhome/me/ memome/me/me/me"
    "/hom\"cudiverdrivrivenot bcudablefromnitior: ythothon compythdevievicrom  is trainamerain"
    "asseaarcinitpackecti fortingjectatiodingout  filinfoackackaglosslibrionsfor iled to ibra"
    "brarcceswithrarypasskage-cud runfailt ofcall not \"cuctintypeile  no adin/usrusr/stepages"
    "erne sta outssedut o conaliz gpudownoadilectailelocaollereadcolllizenloakernrnellleciali"
    "tensbatc: no_cududa_ors. dri dow devownlwnlo linble manyffff-lintialport tesme/plinesr/l"
    "tus. wit.whl_erritiaanylnyliylin.py:_aarinstled ory whl hl (f meof maineineria-cror ound"
    "singnot_ompumputeta succucce etaompimpiline mple ste on ss: dia ry: dnn ent age  mb/mb/s";

constexpr uint32_t Four(const char* bytes) {
  uint32_t four = 0;
  for (int i = 0; i < 4; ++i) four = four << 8 | static_cast<uint8_t>(bytes[i]);
  return four;
}

// One bit per hash: a rare sequence may share it, which only makes another part of an anchor preferred.
constexpr uint32_t HashOfFour(const char* four) { return (Four(four) * 0x9E3779B1u) >> 16; }

consteval auto CommonFourBits() {
  std::array<uint64_t, (1 << 16) / 64> bits{};
  for (size_t i = 0; i < kCommonFours.size(); i += 4) {
    const uint32_t hash = HashOfFour(kCommonFours.data() + i);
    bits[hash / 64] |= uint64_t{1} << (hash % 64);
  }
  return bits;
}

bool IsCommon(const char* four) {
  static constexpr auto kBits = CommonFourBits();
  const uint32_t hash = HashOfFour(four);
  return (kBits[hash / 64] >> (hash % 64) & 1) != 0;
}

// Where in an anchor the `size` rarest consecutive bytes start.
size_t RarestPart(std::string_view anchor, size_t size) {
  size_t best = 0;
  uint32_t score = 0, lowest = ~0u;
  for (size_t end = 1; end <= anchor.size(); ++end) {  // the bytes before `end`
    score += Commonness(anchor[end - 1]);
    if (end >= 4 && IsCommon(anchor.data() + end - 4)) score += kCommonFour;
    if (end > size) {
      const char* gone = anchor.data() + (end - size - 1);
      score -= Commonness(*gone) + (IsCommon(gone) ? kCommonFour : 0);
    }
    if (end >= size && score < lowest) {
      lowest = score;
      best = end - size;
    }
  }
  return best;
}

template <typename Bitmap>
bool Test(const Bitmap& bitmap, uint64_t hash) {
  return (bitmap[hash >> 6] >> (hash & 63) & 1) != 0;
}

template <typename Bitmap>
void Set(Bitmap& bitmap, uint64_t hash) {
  bitmap[hash >> 6] |= uint64_t{1} << (hash & 63);
}

}  // namespace

AnchorFinder::AnchorFinder(std::span<const std::string_view> anchors) : slots_(kSlots) {
  // A short window has zeros in its upper half, a long one never.
  std::vector<std::pair<uint64_t, Entry>> of_bytes;
  of_bytes.reserve(anchors.size() * kStride);
  for (const std::string_view anchor : anchors) letters_ += anchor;
  std::ranges::transform(letters_, letters_.begin(), Lower);
  std::string_view rest = letters_;
  for (const std::string_view anchor : anchors) {
    anchors_.push_back(rest.substr(0, anchor.size()));
    rest.remove_prefix(anchor.size());
  }
  for (uint32_t index = 0; index < anchors_.size(); ++index) {
    const std::string_view lower = anchors_[index];
    const size_t width = lower.size() >= kLong + kStride - 1 ? kLong : kShort;
    const size_t part = RarestPart(lower, width + kStride - 1);
    for (size_t offset = part; offset < part + kStride; ++offset) {
      const uint64_t bytes = width == kLong ? Long(lower.data() + offset) : Short(lower.data() + offset);
      of_bytes.push_back({bytes, {index, static_cast<uint32_t>(offset)}});
      const uint64_t hash = Hash(bytes);
      if (width == kLong) {
        Set(long_, hash);
      } else {
        Set(short_, hash >> 2);
      }
    }
  }
  // Counted first, so that the entries of one window lie together.
  std::vector<uint32_t> slot_of;
  slot_of.reserve(of_bytes.size());
  for (const auto& [bytes, entry] : of_bytes) {
    size_t slot = Hash(bytes) % kSlots;
    while (slots_[slot].count != 0 && slots_[slot].bytes != bytes) slot = (slot + 1) % kSlots;
    slots_[slot].bytes = bytes;
    ++slots_[slot].count;
    slot_of.push_back(static_cast<uint32_t>(slot));
  }
  uint32_t first = 0;
  for (Slot& slot : slots_) {
    slot.first = first;
    first += std::exchange(slot.count, 0);
  }
  entries_.resize(first);
  for (size_t i = 0; i < of_bytes.size(); ++i) {
    Slot& slot = slots_[slot_of[i]];
    entries_[slot.first + slot.count++] = of_bytes[i].second;
  }
}

// The next multiple of four, starting at `at`, whose bytes may belong to an anchor; text.size() if there is
// none.
size_t AnchorFinder::NextPlace(std::string_view text, size_t at) const {
  const auto maybe = [&](size_t place) {
    const char* bytes = text.data() + place;
    return Test(long_, Hash(Long(bytes))) || Test(short_, Hash(Short(bytes)) >> 2);
  };
  for (; at + kLong <= text.size(); at += kStride) {
    if (maybe(at)) return at;
  }
  for (; at + kShort <= text.size(); at += kStride) {
    if (Test(short_, Hash(Short(text.data() + at)) >> 2)) return at;
  }
  return text.size();
}

std::span<const AnchorFinder::Entry> AnchorFinder::EntriesOf(std::string_view text, size_t at,
                                                             size_t width) const {
  if (text.size() - at < width) return {};
  const uint64_t bytes = width == kLong ? Long(text.data() + at) : Short(text.data() + at);
  const uint64_t hash = Hash(bytes);
  // Usually only one of the two widths matches, and the table is not in the first-level cache.
  if (!(width == kLong ? Test(long_, hash) : Test(short_, hash >> 2))) return {};
  for (size_t slot = hash % kSlots; slots_[slot].count != 0; slot = (slot + 1) % kSlots) {
    if (slots_[slot].bytes == bytes) {
      return std::span(entries_).subspan(slots_[slot].first, slots_[slot].count);
    }
  }
  return {};
}

bool AnchorFinder::Matches(std::string_view text, size_t at, uint32_t anchor) const {
  const std::string_view wanted = anchors_[anchor];
  if (text.size() - at < wanted.size()) return false;
  // Most that share the examined bytes differ at one of the ends.
  const size_t last = wanted.size() - kShort;
  if (Short(text.data() + at) != Short(wanted.data()) ||
      Short(text.data() + at + last) != Short(wanted.data() + last))
    return false;
  return std::equal(wanted.begin(), wanted.end(), text.begin() + static_cast<std::ptrdiff_t>(at),
                    [](char a, char b) { return a == Lower(b); });
}

size_t CountLines(std::string_view text) {
  // In blocks of 255 the sum fits into a byte, so the compiler can count in all lanes of a vector.
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

// A container says how long it is, and so does each entry in it. So the scan goes from header to header and
// reads a few hundred bytes instead of megabytes of code. Between containers there is padding (up to 255 zero
// bytes) or, in sections that hold other data too, anything. There the magic number is searched for, in reads
// that grow as long as nothing is found.
//
// A corrupt header ends its container, and the search continues after the last valid entry. Every step moves
// forward, and headers, bytes searched and targets kept are limited, so a hostile file costs no more time and
// memory than a large real one.
#include "binfmt/gpu/fatbin_scan.h"

#include <algorithm>
#include <cstring>

namespace culprit::binfmt {
namespace {

constexpr uint64_t kContainerHeader = 16;
constexpr uint64_t kEntryHeader = 64;     // bytes read of it; its own size field says where the code starts
constexpr size_t kSmallRead = 512;        // padding, a container header and an entry header
constexpr size_t kLargeRead = 256 << 10;  // fits into the cache of one core
constexpr size_t kMaxTargetsOfContainer = 4096;
constexpr size_t kMaxSectionsWithCode = 1024;  // by name

uint64_t Little(std::span<const std::byte> bytes, size_t offset, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) value |= std::to_integer<uint64_t>(bytes[offset + i]) << 8 * i;
  return value;
}

GpuTarget TargetOf(std::span<const std::byte> entry) {
  constexpr uint64_t kArchSpecific = 0x100000, kFamilySpecific = 0x200000;
  GpuTarget target;
  switch (Little(entry, 0, 2)) {
    case 1:
      target.kind = GpuTarget::Kind::kPtx;
      break;
    case 2:
      target.kind = GpuTarget::Kind::kSass;
      break;
    case 8:
      target.kind = GpuTarget::Kind::kLtoIr;
      break;
    default:
      target.kind = GpuTarget::Kind::kOther;
  }
  if (target.kind == GpuTarget::Kind::kPtx || target.kind == GpuTarget::Kind::kLtoIr) {
    target.ptx_minor = static_cast<uint16_t>(Little(entry, 24, 2));
    target.ptx_major = static_cast<uint16_t>(Little(entry, 26, 2));
  }
  target.arch = static_cast<uint32_t>(Little(entry, 28, 4));
  const uint64_t flags = Little(entry, 40, 8);
  target.suffix = (flags & kArchSpecific) != 0 ? 'a' : (flags & kFamilySpecific) != 0 ? 'f' : '\0';
  return target;
}

constexpr uint8_t kMagicBytes[] = {0x50, 0xED, 0x55, 0xBA};

// True if the first two bytes of the magic number are next to each other anywhere in this block. Also reads
// the byte after the block. No branches, in vectors of 16 bytes that every machine has: twice as fast as what
// compilers make of a plain loop, and many times faster than memmem().
template <size_t kSize>
bool MayHoldMagic(const uint8_t* block) {
  using Vector [[gnu::vector_size(16)]] = uint8_t;
  const auto load = [](const uint8_t* from) {
    Vector vector;
    std::memcpy(&vector, from, sizeof vector);
    return vector;
  };
  Vector any{};
  for (size_t i = 0; i < kSize; i += sizeof any) {
    any |= reinterpret_cast<Vector>((load(block + i) == kMagicBytes[0]) &
                                    (load(block + i + 1) == kMagicBytes[1]));
  }
  uint64_t halves[2];
  std::memcpy(halves, &any, sizeof halves);
  return (halves[0] | halves[1]) != 0;
}

}  // namespace

size_t FindFatbinMagic(std::span<const std::byte> bytes) {
  constexpr size_t kBlock = 64;
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  size_t at = 0;
  while (at + 4 <= bytes.size()) {
    // Skips blocks without the first two bytes; in random data, that is all but one in a thousand.
    while (at + kBlock < bytes.size() && !MayHoldMagic<kBlock>(data + at)) at += kBlock;
    const size_t stop = std::min(at + kBlock, bytes.size() - 3);
    for (; at < stop; ++at) {
      if (std::memcmp(data + at, kMagicBytes, 4) == 0) return at;
    }
  }
  return bytes.size();
}

FatbinScanner::FatbinScanner(const base::ByteSource& source, const GpuCodeLimits& limits, GpuCode& code)
    : source_(source), limits_(limits), code_(code) {}

void FatbinScanner::Problem(std::string what) {
  code_.complete = false;
  if (code_.problem.empty()) code_.problem = std::move(what);  // the first one explains the others
}

void FatbinScanner::Damage(uint64_t at, const char* what) {
  Problem("GPU code container at offset " + std::to_string(at) + ": " + what);
}

void FatbinScanner::Stop(std::string why) {
  Problem(std::move(why));
  stopped_ = true;
}

std::span<const std::byte> FatbinScanner::At(uint64_t offset, size_t least, size_t wanted) {
  const bool here = offset >= buffer_at_ && offset - buffer_at_ <= buffer_length_ &&
                    buffer_length_ - (offset - buffer_at_) >= least;
  if (!here) {
    wanted = std::max(wanted, least);
    if (buffer_.size() < wanted) buffer_.resize(wanted);
    const auto read = source_.ReadAt(offset, std::span(buffer_).first(wanted));
    if (!read) Stop("reading failed: " + read.error().message);
    buffer_at_ = offset;
    buffer_length_ = read.value_or(0);
  }
  return std::span(buffer_).first(buffer_length_).subspan(static_cast<size_t>(offset - buffer_at_));
}

std::optional<uint64_t> FatbinScanner::Search(uint64_t at, uint64_t end) {
  size_t wanted = kSmallRead;
  while (!stopped_ && at < end && end - at >= sizeof kMagicBytes) {
    auto bytes = At(at, sizeof kMagicBytes, static_cast<size_t>(std::min<uint64_t>(wanted, end - at)));
    bytes = bytes.first(static_cast<size_t>(std::min<uint64_t>(bytes.size(), end - at)));
    if (bytes.size() < sizeof kMagicBytes) return std::nullopt;
    const size_t found = FindFatbinMagic(bytes);
    const size_t passed = found < bytes.size() ? found : bytes.size() - 3;
    searched_ += passed;
    at += passed;
    if (found < bytes.size()) return at;
    if (searched_ > limits_.searched) Stop("too much data to search for GPU code");
    wanted = std::min(wanted * 4, kLargeRead);
  }
  return std::nullopt;
}

void FatbinScanner::Scan(const FileRange& range, const std::string& section, bool only_containers) {
  uint64_t at = range.offset;
  if (range.end > source_.size()) Problem("the file is truncated");
  const uint64_t end = std::min(range.end, source_.size());
  while (!stopped_) {
    const auto found = Search(at, end);
    if (!found) return;
    at = ReadContainer(*found, end, section, only_containers);
  }
}

uint64_t FatbinScanner::ReadContainer(uint64_t at, uint64_t end, const std::string& section,
                                      bool only_containers) {
  if (++headers_ > limits_.headers) Stop("too many GPU code containers for a real file");
  const auto header = At(at, kContainerHeader, kSmallRead);
  if (stopped_) return end;
  if (end - at < kContainerHeader || header.size() < kContainerHeader) {
    if (only_containers) Damage(at, "its header is truncated");
    return end;
  }
  if (Little(header, 4, 2) != 1 || Little(header, 6, 2) != kContainerHeader) {
    if (only_containers) Damage(at, "unknown version");
    return at + 4;
  }
  const uint64_t start = at + kContainerHeader;
  const uint64_t stop = SaturatingAdd(start, Little(header, 8, 8));
  if (stop > end) Damage(at, "extends beyond its section or the file");
  std::vector<GpuTarget> targets;
  const uint64_t next = ReadEntries(start, stop, end, targets);
  Count(section, std::move(targets));
  return std::min(next, end);
}

uint64_t FatbinScanner::ReadEntries(uint64_t at, uint64_t stop, uint64_t end,
                                    std::vector<GpuTarget>& targets) {
  while (at < stop && !stopped_) {
    if (at >= end) return end;  // truncated, and already reported
    const auto entry = At(at, kEntryHeader, kSmallRead);
    if (stop - at < kEntryHeader || end - at < kEntryHeader || entry.size() < kEntryHeader) {
      Damage(at, "an entry is truncated");
      return at;
    }
    const uint64_t code = Little(entry, 4, 4);
    const uint64_t next = SaturatingAdd(at + code, Little(entry, 8, 8));
    if (code < kEntryHeader || next > stop) {
      Damage(at, "an entry with an impossible size");
      return at;
    }
    if (++headers_ > limits_.headers || targets.size() == kMaxTargetsOfContainer) {
      Stop("too many GPU code entries for a real file");
      return at;
    }
    targets.push_back(TargetOf(entry));
    at = next;
  }
  return at;
}

void FatbinScanner::Count(const std::string& section, std::vector<GpuTarget> targets) {
  std::ranges::sort(targets);
  const auto [place, is_new] =
      known_.try_emplace(std::pair(section, std::move(targets)), code_.containers.size());
  if (is_new) {
    sections_.insert(section);
    kept_targets_ += 1 + place->first.second.size();
    if (kept_targets_ > limits_.kept_targets || sections_.size() > kMaxSectionsWithCode)
      return Stop("too many kinds of GPU code for a real file");
    code_.containers.push_back({section, place->first.second, 0});
  }
  ++code_.containers[place->second].count;
}

}  // namespace culprit::binfmt

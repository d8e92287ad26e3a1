// How Windows maps sections (Microsoft's PE format, "Section Table"): raw data starts at the offset rounded
// down to 512; the mapped part ends at the smaller of raw size and virtual size rounded up to a page. An
// image whose sections are aligned to less than a page is mapped as one piece.
#include "binfmt/pe/image.h"

#include <algorithm>
#include <utility>

#include "binfmt/byte_writer.h"

namespace culprit::binfmt {
namespace {

constexpr uint64_t kPageSize = 4096;
constexpr uint64_t kSector = 512;

}  // namespace

uint64_t LittleEndian(std::span<const std::byte> bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size(); ++i) value |= std::to_integer<uint64_t>(bytes[i]) << 8 * i;
  return value;
}

void PeImage::SetLayout(const PeLayout& layout, const PeFile& pe) {
  bits_ = pe.bits;
  mappings_.clear();
  if (layout.section_alignment < kPageSize) {
    mappings_.push_back({0, 0, file_size(), std::max<uint64_t>(file_size(), pe.image_size)});
    return;
  }
  mappings_.push_back({0, 0, layout.headers_size, RoundUp(layout.headers_size, kPageSize)});
  for (const PeSection& section : pe.sections) {
    const uint64_t size = section.virtual_size != 0 ? section.virtual_size : section.raw_size;
    const uint64_t span = RoundUp(size, kPageSize);
    const uint64_t offset = section.offset / kSector * kSector;
    mappings_.push_back({section.address, offset, std::min<uint64_t>(section.raw_size, span), span});
  }
  std::ranges::sort(mappings_, {},
                    [](const Mapping& mapping) { return std::pair(mapping.rva, mapping.offset); });
}

std::optional<PeImage::Stretch> PeImage::Find(uint64_t rva) const {
  auto mapping = std::ranges::upper_bound(mappings_, rva, {}, &Mapping::rva);
  if (mapping == mappings_.begin()) return std::nullopt;
  --mapping;
  const uint64_t into = rva - mapping->rva;
  if (into >= mapping->span) return std::nullopt;
  const uint64_t stored = mapping->stored - std::min(into, mapping->stored);
  return Stretch{mapping->offset + into, stored, mapping->span - into - stored};
}

size_t PeImage::CopySome(PageCache& pages, uint64_t rva, std::span<std::byte> out) {
  size_t done = 0;
  while (done < out.size()) {
    const auto stretch = Find(rva + done);
    if (!stretch) break;
    const auto rest = out.subspan(done);
    if (stretch->stored > 0) {
      const auto part = rest.first(static_cast<size_t>(std::min<uint64_t>(rest.size(), stretch->stored)));
      const size_t copied = pages.CopySome(stretch->offset, part);
      done += copied;
      if (copied < part.size()) break;
    } else {
      const auto part = rest.first(static_cast<size_t>(std::min<uint64_t>(rest.size(), stretch->zeros)));
      std::ranges::fill(part, std::byte{0});
      done += part.size();
    }
  }
  return done;
}

bool PeImage::Copy(uint64_t rva, std::span<std::byte> out) {
  return CopySome(tables_, rva, out) == out.size();
}

std::optional<uint16_t> PeImage::U16(uint64_t rva) {
  std::array<std::byte, 2> bytes;
  if (!Copy(rva, bytes)) return std::nullopt;
  return static_cast<uint16_t>(LittleEndian(bytes));
}

std::optional<uint32_t> PeImage::U32(uint64_t rva) {
  std::array<std::byte, 4> bytes;
  if (!Copy(rva, bytes)) return std::nullopt;
  return static_cast<uint32_t>(LittleEndian(bytes));
}

std::optional<uint64_t> PeImage::Word(uint64_t rva) {
  std::array<std::byte, 8> bytes;
  const auto word = std::span(bytes).first(bits_ == 64 ? 8 : 4);
  if (!Copy(rva, word)) return std::nullopt;
  return LittleEndian(word);
}

template <typename Number>
std::vector<Number> PeImage::Table(uint64_t rva, uint32_t count) {
  std::vector<std::byte> bytes(size_t{count} * sizeof(Number));
  const size_t there = CopySome(tables_, rva, bytes) / sizeof(Number);
  std::vector<Number> numbers;
  numbers.reserve(there);
  for (size_t i = 0; i < there; ++i) {
    const auto number = std::span(bytes).subspan(i * sizeof(Number), sizeof(Number));
    numbers.push_back(static_cast<Number>(LittleEndian(number)));
  }
  return numbers;
}

std::vector<uint32_t> PeImage::Words(uint64_t rva, uint32_t count) { return Table<uint32_t>(rva, count); }
std::vector<uint16_t> PeImage::HalfWords(uint64_t rva, uint32_t count) { return Table<uint16_t>(rva, count); }

std::optional<std::string> PeImage::Text(uint64_t rva, uint64_t& budget) {
  const auto stretch = Find(rva);
  if (!stretch) return std::nullopt;
  if (stretch->stored == 0) return std::string();  // zeros
  uint64_t left = std::min(kMaxPeText, budget);
  const uint64_t before = left;
  const uint64_t end = stretch->offset + stretch->stored;
  auto text = texts_.CString(stretch->offset, end, left);
  budget -= before - left;
  return text;
}

}  // namespace culprit::binfmt

// e_flags holds the architecture, in another byte since ABI version 8 (CUDA 13). 'a' used to be a flag and is
// now an attribute of .nv.compat. Seen in cubins of ptxas 12.4 (ABI 7) and nvcc 13.0 (ABI 8).
#include "binfmt/gpu/cubin.h"

#include <algorithm>
#include <array>

#include "binfmt/elf/constants.h"

namespace culprit::binfmt {
namespace {

// Attributes as in .nv.info: {format, attribute, two bytes of value}; format 4 has the length of a longer
// value instead.
bool SaysArchSpecific(ElfReader& reader, const ElfSection& compat) {
  constexpr uint64_t kMaxSize = 4096;
  constexpr std::byte kByteValue{2}, kSized{4}, kArchSpecific{9};
  std::array<std::byte, 4> record{};
  const uint64_t end = SaturatingAdd(compat.offset, std::min(compat.size, kMaxSize));
  for (uint64_t at = compat.offset; at < end && end - at >= record.size();) {
    if (!reader.bytes().Copy(at, record)) return false;
    if (record[0] == kByteValue && record[1] == kArchSpecific) return record[2] != std::byte{0};
    at += record.size();
    if (record[0] == kSized) {
      at += std::to_integer<uint64_t>(record[2]) | std::to_integer<uint64_t>(record[3]) << 8;
    }
  }
  return false;
}

}  // namespace

GpuTarget CubinTarget(ElfReader& reader, const ElfFile& elf, const ElfHeaderRecord& header,
                      const std::vector<ElfSection>& sections) {
  constexpr uint8_t kNewAbi = 8;
  constexpr uint32_t kOldArchSpecific = 0x800;
  GpuTarget target{.kind = GpuTarget::Kind::kSass};
  if (elf.ident[EI_ABIVERSION] < kNewAbi) {
    target.arch = header.flags & 0xff;
    if ((header.flags & kOldArchSpecific) != 0) target.suffix = 'a';
    return target;
  }
  target.arch = header.flags >> 8 & 0xff;
  const auto compat = std::ranges::find(sections, ".nv.compat", &ElfSection::name);
  if (compat != sections.end() && SaysArchSpecific(reader, *compat)) target.suffix = 'a';
  return target;
}

}  // namespace culprit::binfmt

// The bytes of a PE file as the loader lays them out: relative virtual addresses (RVAs) instead of offsets.
// Headers and the file's part of each section come from the file; the rest of a section is zeros, as in
// memory; everything else does not exist. Nothing outside the file can be reached, and no sum overflows: RVAs
// have 32 bits and are added in 64.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes/byte_source.h"
#include "binfmt/page_cache.h"
#include "binfmt/pe/pe.h"

namespace culprit::binfmt {

// More than any real file has. Anything beyond these limits is treated as missing, so that a hostile file
// costs neither time nor memory.
inline constexpr size_t kMaxPeSections = 2048;  // since Windows 7, only the size of the field limits it
inline constexpr size_t kMaxPeImportDlls = 4096;
inline constexpr size_t kMaxPeImportsOfDll = 1u << 16;    // no DLL exports more
inline constexpr uint64_t kMaxPeImports = 1u << 20;       // per file
inline constexpr uint32_t kMaxPeExports = 1u << 16;       // the number of a function has 16 bits
inline constexpr uint64_t kMaxPeText = 65536;             // per name
inline constexpr uint64_t kMaxPeImportTexts = 32u << 20;  // bytes of all names together
inline constexpr uint64_t kMaxPeExportTexts = 64u << 20;
inline constexpr uint32_t kMaxPeResource = 64u << 10;
inline constexpr uint32_t kMaxPeResourceEntries = 4096;  // per directory

// Directories by number.
enum class PeDirectory : uint8_t {
  kExports = 0,
  kImports = 1,
  kResources = 2,
  kCertificate = 4,  // its address is an offset
  kBoundImports = 11,
  kDelayImports = 13,
  kClr = 14,
};

struct PeRange {
  uint32_t rva = 0, size = 0;
};

// What the headers say about where things are.
struct PeLayout {
  std::array<PeRange, 16> directories{};
  uint32_t headers_size = 0;
  uint32_t section_alignment = 0;
  PeRange operator[](PeDirectory directory) const { return directories[static_cast<size_t>(directory)]; }
};

class PeImage {
 public:
  explicit PeImage(const base::ByteSource& source) : tables_(source), texts_(source) {}

  uint64_t file_size() const { return tables_.size(); }
  // Table entries and bytes of names that a file of this size can have, at most `most`. Tables that point to
  // the same bytes many times, or into zeros that are not in the file, do not make a small file expensive.
  uint64_t MostEntries(uint64_t most) const { return std::min(most, file_size() / 4); }
  uint64_t MostText(uint64_t most) const { return std::min(most, file_size() * 2); }
  bool failed() const { return tables_.failed() || texts_.failed(); }
  // By offset, for the headers.
  PageCache& file() { return tables_; }

  // Call before anything is read by RVA.
  void SetLayout(const PeLayout& layout, const PeFile& pe);

  // Copies exactly out.size() bytes; false if some of them are not there.
  bool Copy(uint64_t rva, std::span<std::byte> out);
  std::optional<uint16_t> U16(uint64_t rva);
  std::optional<uint32_t> U32(uint64_t rva);
  // 4 or 8 bytes, the address size of the image.
  std::optional<uint64_t> Word(uint64_t rva);
  // `count` words of 32 (16) bits, or as many as there are.
  std::vector<uint32_t> Words(uint64_t rva, uint32_t count);
  std::vector<uint16_t> HalfWords(uint64_t rva, uint32_t count);
  // The text up to its NUL; every byte examined counts against `budget`.
  std::optional<std::string> Text(uint64_t rva, uint64_t& budget);

 private:
  // A range of the image that starts at some RVA: first `stored` bytes from `offset` in the file, then zeros.
  struct Stretch {
    uint64_t offset = 0, stored = 0, zeros = 0;
  };
  struct Mapping {
    uint64_t rva = 0, offset = 0, stored = 0, span = 0;
  };
  std::optional<Stretch> Find(uint64_t rva) const;
  size_t CopySome(PageCache& pages, uint64_t rva, std::span<std::byte> out);
  template <typename Number>
  std::vector<Number> Table(uint64_t rva, uint32_t count);

  // Two caches, because reads alternate between tables and the names they point to.
  PageCache tables_, texts_;
  std::vector<Mapping> mappings_;  // by RVA
  int bits_ = 0;
};

uint64_t LittleEndian(std::span<const std::byte> bytes);

}  // namespace culprit::binfmt

// The records of an ELF file of any class and byte order, widened to 64 bits. Reads are checked: anything
// outside the file is nullopt.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "base/bytes/byte_source.h"
#include "binfmt/elf/constants.h"
#include "binfmt/elf/elf.h"
#include "binfmt/page_cache.h"

namespace culprit::binfmt {

// More than any real file has. Anything beyond these limits is treated as missing, so that a hostile file
// costs neither time nor memory.
inline constexpr uint64_t kMaxDynamicEntries = 65536;
inline constexpr uint64_t kMaxVersionRecords = 65536;
inline constexpr uint64_t kMaxNotes = 1024;
inline constexpr uint64_t kMaxStringLength = 65536;
inline constexpr uint64_t kMaxSections = 1u << 18;  // objects of -ffunction-sections have tens of thousands
inline constexpr uint64_t kMaxStringsTotal = 8u << 20;  // bytes of all strings of one file together

// a + b, or the largest number if the sum overflows.
inline uint64_t SaturatingAdd(uint64_t a, uint64_t b) { return a + b < a ? ~uint64_t{0} : a + b; }

struct ElfHeaderRecord {
  uint16_t type = 0, machine = 0, phentsize = 0, phnum = 0;
  uint32_t version = 0;
  uint64_t phoff = 0, shoff = 0;
  uint16_t shentsize = 0, shnum = 0, shstrndx = 0;
  uint32_t flags = 0;
};

struct ElfSectionHeader {
  uint32_t name = 0, type = 0, link = 0;
  uint64_t flags = 0, offset = 0, size = 0;
};

struct ElfProgramHeader {
  uint32_t type = 0, flags = 0;
  uint64_t offset = 0, vaddr = 0, filesz = 0, memsz = 0, align = 0;
};

struct ElfDynamicEntry {
  int64_t tag = 0;
  uint64_t value = 0;
};

struct ElfSymbol {
  uint32_t name = 0;
  uint8_t info = 0;
  uint16_t section = 0;
  uint64_t value = 0, size = 0;
};

struct FileRange {
  uint64_t offset = 0, end = 0;
};

class ElfReader {
 public:
  explicit ElfReader(const base::ByteSource& source) : bytes_(source) {}

  PageCache& bytes() { return bytes_; }
  // Call before reading any record; e_ident has the values.
  void SetFormat(int bits, bool big_endian) {
    is64_ = bits == 64;
    big_endian_ = big_endian;
  }
  bool is64() const { return is64_; }
  bool big_endian() const { return big_endian_; }
  // Whether numbers in the file have the other byte order than in memory.
  bool swaps() const { return big_endian_ != (std::endian::native == std::endian::big); }

  uint64_t header_size() const { return ElfHeaderSize(is64_); }
  uint64_t program_header_size() const { return ElfProgramHeaderSize(is64_); }
  uint64_t section_header_size() const { return ElfSectionHeaderSize(is64_); }
  uint64_t dynamic_entry_size() const { return ElfDynamicEntrySize(is64_); }
  uint64_t symbol_size() const { return ElfSymbolSize(is64_); }

  std::optional<ElfHeaderRecord> Header();
  std::optional<ElfProgramHeader> ProgramHeader(uint64_t offset);
  std::optional<ElfSectionHeader> SectionHeader(uint64_t offset);
  std::optional<ElfDynamicEntry> DynamicEntry(uint64_t offset);
  std::optional<ElfSymbol> Symbol(uint64_t offset);
  std::optional<uint16_t> Half(uint64_t offset);
  std::optional<uint32_t> Word(uint64_t offset);
  // Of `count` words; 0 if there are none.
  std::optional<uint32_t> LargestWord(uint64_t offset, uint64_t count);
  template <size_t kCount>
  std::optional<std::array<uint32_t, kCount>> Words(uint64_t offset) {
    std::array<uint32_t, kCount> words;
    const std::byte* const record = bytes_.Record(offset, sizeof words);
    if (record == nullptr) return std::nullopt;
    std::memcpy(words.data(), record, sizeof words);
    if (swaps()) {
      for (uint32_t& word : words) word = std::byteswap(word);
    }
    return words;
  }

 private:
  PageCache bytes_;
  bool is64_ = true;
  bool big_endian_ = false;
};

// The file offset of the byte at a virtual address, and where the file's part of that segment ends.
std::optional<FileRange> MapAddress(std::span<const ElfSegment> loads, uint64_t address);

}  // namespace culprit::binfmt

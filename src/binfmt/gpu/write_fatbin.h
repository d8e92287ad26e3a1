// GPU code containers, and ELF files with sections to put them into, for hypothetical files and tests
// (elf/write.h). The code itself is filler.
//
//   BuildFatbin({.entries = {{.kind = 2, .arch = 90, .flags = kArchSpecific}}})
//   BuildSections({{".nv_fatbin", container}, {".data", other}})
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace culprit::binfmt {

inline constexpr uint64_t kLz4 = 0x2000, kZstd = 0x8000, kArchSpecific = 0x100000, kFamilySpecific = 0x200000;

struct FatbinEntry {
  uint16_t kind = 2;  // 1 PTX, 2 machine code, 8 LTO-IR
  uint32_t arch = 80;
  uint64_t flags = 0;  // in addition to 0x11: 64-bit, Linux
  uint16_t major = 1, minor = 8;
  uint32_t header_size = 64;
  std::string code = "code of a kernel";
  // False values for the header.
  std::optional<uint32_t> claimed_header_size;
  std::optional<uint64_t> claimed_code_size;
};

struct FatbinSpec {
  std::vector<FatbinEntry> entries;
  uint32_t magic = 0xBA55ED50;
  uint16_t version = 1, header_size = 16;
  std::optional<uint64_t> claimed_size;
};
std::string BuildFatbin(const FatbinSpec& spec);

struct SectionSpec {
  std::string name;
  std::string bytes;
  uint32_t type = 1;   // SHT_PROGBITS
  uint64_t flags = 2;  // SHF_ALLOC
  std::optional<uint64_t> claimed_offset{}, claimed_size{};
};
struct SectionsSpec {
  std::vector<SectionSpec> sections;
  int bits = 64;
  bool big_endian = false;
  uint16_t machine = 62;
  uint32_t flags = 0;
  uint8_t abi_version = 0;
  uint32_t version = 1;
  bool numbers_in_first_section = false;  // e_shnum 0 and SHN_XINDEX, as with very many sections
};
// A relocatable file with these sections and a table of their names; offsets are multiples of 16.
std::string BuildSections(const SectionsSpec& spec);

}  // namespace culprit::binfmt

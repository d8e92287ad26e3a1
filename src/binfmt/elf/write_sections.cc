#include "binfmt/elf/write_sections.h"

#include "binfmt/byte_writer.h"
#include "binfmt/elf/constants.h"

namespace culprit::binfmt {
namespace {

// Offsets in a 64-bit header: e_shoff, and e_shentsize with the two numbers after it.
constexpr size_t kTableAt = 40, kNumbersAt = 58;

}  // namespace

std::string AddSections(std::string elf, const std::vector<std::pair<std::string, std::string>>& sections) {
  StringTable names;
  ByteWriter table(/*big_endian=*/false);
  size_t count = 0;
  const auto add = [&](uint64_t name, uint64_t type, uint64_t offset, uint64_t size) {
    table.U32(name);
    table.U32(type);
    for (const uint64_t number :
         {uint64_t{0}, uint64_t{0}, offset, size, uint64_t{0}, uint64_t{0}, uint64_t{0}})
      table.U64(number);  // flags, address, offset, size, link and info, alignment, size of an entry
    ++count;
  };
  add(0, SHT_NULL, 0, 0);
  for (const auto& [name, contents] : sections) {
    add(names.Add(name), SHT_PROGBITS, elf.size(), contents.size());
    elf += contents;
  }
  const uint32_t own = names.Add(".shstrtab");
  add(own, SHT_STRTAB, elf.size(), names.bytes().size());
  elf += names.bytes();
  while (elf.size() % 8 != 0) elf += '\0';
  ByteWriter place(/*big_endian=*/false), numbers(/*big_endian=*/false);
  place.U64(elf.size());
  numbers.U16(ElfSectionHeaderSize(true));
  numbers.U16(count);
  numbers.U16(count - 1);
  elf.replace(kTableAt, 8, place.bytes());
  elf.replace(kNumbersAt, 6, numbers.bytes());
  return elf + table.bytes();
}

}  // namespace culprit::binfmt

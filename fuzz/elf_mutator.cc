// The fields of an ELF file: its header, the program headers, the section headers, and the words that
// PT_DYNAMIC and PT_NOTE point to.
#include "field_mutation.h"

namespace {

constexpr size_t kMostHeaders = 16, kMostWords = 64;

bool FieldsOf(std::span<const uint8_t> bytes, std::vector<Field>& fields) {
  constexpr uint8_t kMagic[] = {0x7f, 'E', 'L', 'F'};
  if (bytes.size() < 64 || !std::ranges::equal(bytes.first(4), kMagic)) return false;
  const bool is64 = bytes[4] == 2, big_endian = bytes[5] == 2;
  const size_t word = is64 ? 8 : 4;
  AddFields(4, {1, 1, 1, 1, 1}, fields);
  AddFields(16, {2, 2, 4, word, word, word, 4, 2, 2, 2, 2, 2, 2}, fields);
  const auto value = [&](size_t at, size_t width) { return Number(bytes, {at, width}, big_endian); };
  const uint64_t programs = value(24 + word, word), sections = value(24 + 2 * word, word);
  const size_t counts = 24 + 3 * word + 4;  // e_ehsize, e_phentsize, e_phnum, e_shentsize, e_shnum
  const uint64_t program_count = value(counts + 4, 2), section_count = value(counts + 8, 2);
  for (size_t i = 0; i < std::min<uint64_t>(program_count, kMostHeaders); ++i) {
    const uint64_t at = programs + i * (is64 ? 56 : 32);
    if (at >= bytes.size()) break;
    if (is64) {
      AddFields(at, {4, 4, 8, 8, 8, 8, 8, 8}, fields);
    } else {
      AddFields(at, {4, 4, 4, 4, 4, 4, 4, 4}, fields);
    }
    const uint64_t type = value(at, 4), offset = value(at + word, word), size = value(at + 4 * word, word);
    const bool has_words = type == 2 || type == 4;  // PT_DYNAMIC, PT_NOTE
    for (size_t k = 0; has_words && k < kMostWords && k * word < size && offset < bytes.size(); ++k)
      fields.push_back({offset + k * word, word});
  }
  for (size_t i = 0; i < std::min<uint64_t>(section_count, kMostHeaders); ++i) {
    const uint64_t at = sections + i * (is64 ? 64 : 40);
    if (at >= bytes.size()) break;
    AddFields(at, {4, 4, word, word, word, word, 4, 4, word, word}, fields);
  }
  return big_endian;
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  return Mutate(data, size, max_size, seed, FieldsOf);
}

// The fields of a PE file: its headers, the directories, the section table, and the first words of what each
// directory points to.
#include "field_mutation.h"

namespace {

constexpr size_t kMostSections = 16, kWordsOfTable = 16;

bool FieldsOf(std::span<const uint8_t> bytes, std::vector<Field>& fields) {
  if (bytes.size() < 64 || bytes[0] != 'M' || bytes[1] != 'Z') return false;
  const auto word = [&](uint64_t at) { return Number(bytes, {static_cast<size_t>(at), 4}); };
  fields.push_back({60, 4});
  const uint64_t header = word(60) + 4;
  if (header >= bytes.size()) return false;
  AddFields(header, {2, 2, 4, 4, 4, 2, 2}, fields);
  const uint64_t optional = header + 20;
  const bool is64 = Number(bytes, {optional, 2}) == 0x20b;
  const uint64_t directories = optional + (is64 ? 112 : 96);
  for (uint64_t at = optional; at < directories; at += 4) fields.push_back({at, 4});
  const uint64_t sections = optional + Number(bytes, {header + 16, 2});
  const size_t count = std::min<uint64_t>(Number(bytes, {header + 2, 2}), kMostSections);
  for (size_t i = 0; i < count; ++i) AddFields(sections + i * 40 + 8, {4, 4, 4, 4, 4, 4, 2, 2, 4}, fields);
  for (size_t i = 0; i < 16; ++i) {
    AddFields(directories + i * 8, {4, 4}, fields);
    const uint64_t rva = word(directories + i * 8);
    for (size_t k = 0; rva != 0 && k < count; ++k) {
      const uint64_t section = sections + k * 40, address = word(section + 12);
      if (rva < address || rva - address >= word(section + 16)) continue;
      const uint64_t at = word(section + 20) + (rva - address);
      for (size_t w = 0; at < bytes.size() && w < kWordsOfTable; ++w) fields.push_back({at + w * 4, 4});
    }
  }
  return false;
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  return Mutate(data, size, max_size, seed, FieldsOf);
}

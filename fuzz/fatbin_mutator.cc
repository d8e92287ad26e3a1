// The fields of GPU code: each container found by its magic number, and the entries in it.
#include "field_mutation.h"

namespace {

constexpr size_t kMostFields = 500;

bool FieldsOf(std::span<const uint8_t> bytes, std::vector<Field>& fields) {
  constexpr uint8_t kMagic[] = {0x50, 0xED, 0x55, 0xBA};
  for (size_t at = 0; at + 16 <= bytes.size() && fields.size() < kMostFields; ++at) {
    if (!std::ranges::equal(bytes.subspan(at, 4), kMagic)) continue;
    AddFields(at, {4, 2, 2, 8}, fields);
    uint64_t entry = at + 16;
    while (entry + 64 <= bytes.size() && fields.size() < kMostFields) {
      AddFields(entry, {2, 2, 4, 8, 4, 4, 2, 2, 4, 4, 4, 8, 8, 8}, fields);
      const uint64_t size = Number(bytes, {entry + 4, 4}) + Number(bytes, {entry + 8, 8});
      if (size < 64 || size > bytes.size()) break;
      entry += size;
    }
  }
  return false;
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  return Mutate(data, size, max_size, seed, FieldsOf);
}

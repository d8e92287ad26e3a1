// Mutation that knows the format: half of the changes write a value that is likely to matter into one field,
// the other half are libFuzzer's own. NAME_mutator.cc says where the fields are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

struct Field {
  size_t at = 0, width = 0;
};

inline uint64_t Number(std::span<const uint8_t> bytes, Field field, bool big_endian = false) {
  uint64_t value = 0;
  for (size_t i = 0; i < field.width && field.at + i < bytes.size(); ++i) {
    const size_t shift = big_endian ? field.width - 1 - i : i;
    value |= uint64_t{bytes[field.at + i]} << 8 * shift;
  }
  return value;
}

// Adds fields of these widths, one after the other from `at`.
inline void AddFields(size_t at, std::initializer_list<size_t> widths, std::vector<Field>& fields) {
  for (const size_t width : widths) {
    fields.push_back({at, width});
    at += width;
  }
}

inline size_t MutateField(std::span<uint8_t> bytes, const std::vector<Field>& fields, bool big_endian,
                          std::minstd_rand& random) {
  const Field field = fields[random() % fields.size()];
  if (field.at >= bytes.size() || field.width > bytes.size() - field.at) return bytes.size();
  const uint64_t old = Number(bytes, field, big_endian);
  const Field other = fields[random() % fields.size()];
  const uint64_t values[] = {0,
                             1,
                             old + 1,
                             old - 1,
                             old * 2,
                             ~uint64_t{0},
                             uint64_t{1} << (8 * field.width - 1),
                             bytes.size(),
                             bytes.size() - 1,
                             random() % (bytes.size() + 1),
                             Number(bytes, other, big_endian)};
  const uint64_t value = values[random() % std::size(values)];
  for (size_t i = 0; i < field.width; ++i) {
    const size_t shift = big_endian ? field.width - 1 - i : i;
    bytes[field.at + i] = static_cast<uint8_t>(value >> 8 * shift);
  }
  return bytes.size();
}

// The body of LLVMFuzzerCustomMutator. `fields_of(bytes, fields)` finds the fields and says whether numbers
// are big-endian.
template <typename FieldsOf>
size_t Mutate(uint8_t* data, size_t size, size_t max_size, unsigned seed, FieldsOf fields_of) {
  std::minstd_rand random(seed);
  if (random() % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  std::vector<Field> fields;
  const std::span bytes(data, size);
  const bool big_endian = fields_of(bytes, fields);
  if (fields.empty()) return LLVMFuzzerMutate(data, size, max_size);
  for (size_t changes = 1 + random() % 3; changes > 0; --changes)
    MutateField(bytes, fields, big_endian, random);
  return size;
}

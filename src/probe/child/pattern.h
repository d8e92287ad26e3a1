// Predictable test data, and the comparison with what came back.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace culprit::prober {

// The same for the same `seed`, on every machine.
std::vector<uint32_t> Pattern(size_t words, uint32_t seed);
// Between -1 and 1, with few digits, so that sums of products stay exact enough to compare.
std::vector<float> FloatPattern(size_t count, uint32_t seed);

uint64_t Checksum(std::span<const uint32_t> words);

// "" if they are equal; otherwise how many differ, and the first one.
std::string Difference(std::span<const uint32_t> expected, std::span<const uint32_t> actual);

// The largest difference relative to the largest expected value; infinite if a result is NaN.
double RelativeError(std::span<const float> expected, std::span<const float> actual);

}  // namespace culprit::prober

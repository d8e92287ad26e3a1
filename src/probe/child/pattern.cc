#include "probe/child/pattern.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace culprit::prober {

std::vector<uint32_t> Pattern(size_t words, uint32_t seed) {
  std::vector<uint32_t> pattern(words);
  uint32_t state = seed * 2654435761U + 1;
  for (uint32_t& word : pattern) {
    state = state * 1664525U + 1013904223U;  // the low bits alone would repeat soon: mix the high ones in
    word = state ^ (state >> 15);
  }
  return pattern;
}

std::vector<float> FloatPattern(size_t count, uint32_t seed) {
  std::vector<float> values(count);
  const std::vector<uint32_t> pattern = Pattern(count, seed);
  std::ranges::transform(pattern, values.begin(), [](uint32_t word) {
    return static_cast<float>(static_cast<int>((word >> 8) % 2001) - 1000) / 1000.0F;
  });
  return values;
}

uint64_t Checksum(std::span<const uint32_t> words) {
  uint64_t sum = 0xcbf29ce484222325U;  // FNV-1a, by words
  for (const uint32_t word : words) sum = (sum ^ word) * 0x100000001b3U;
  return sum;
}

std::string Difference(std::span<const uint32_t> expected, std::span<const uint32_t> actual) {
  if (expected.size() != actual.size()) return "the number of words read back differs from the number sent";
  size_t count = 0, first = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] == actual[i]) continue;
    if (count++ == 0) first = i;
  }
  if (count == 0) return "";
  char text[160];
  std::snprintf(text, sizeof(text), "%zu of %zu words differ, the first at %zu: 0x%08x instead of 0x%08x",
                count, expected.size(), first, static_cast<unsigned>(actual[first]),
                static_cast<unsigned>(expected[first]));
  return text;
}

double RelativeError(std::span<const float> expected, std::span<const float> actual) {
  if (expected.size() != actual.size()) return std::numeric_limits<double>::infinity();
  double largest = 0, difference = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!std::isfinite(actual[i])) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, std::abs(static_cast<double>(expected[i])));
    difference = std::max(difference, std::abs(static_cast<double>(expected[i]) - actual[i]));
  }
  return largest > 0 ? difference / largest : difference;
}

}  // namespace culprit::prober

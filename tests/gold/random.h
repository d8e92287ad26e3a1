// Random numbers that are the same on every machine for the same seed (SplitMix64), unlike the
// distributions of <random>.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace culprit::gold {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {
    state_ = Next() ^ 0x5851f42d4c957f2d;  // adjacent seeds must not give similar streams
  }

  uint64_t Next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // 0 .. count-1; count must not be 0.
  size_t Below(size_t count) { return static_cast<size_t>(Next() % count); }
  bool Percent(unsigned chance) { return Below(100) < chance; }

  template <typename T>
  const T& Pick(const std::vector<T>& items) {
    return items[Below(items.size())];
  }
  // An index into `weights`, drawn with those weights.
  size_t Weighted(std::initializer_list<unsigned> weights) {
    size_t sum = 0;
    for (const unsigned w : weights) sum += w;
    size_t left = Below(sum), index = 0;
    for (const unsigned w : weights) {
      if (left < w) return index;
      left -= w;
      ++index;
    }
    return 0;
  }
  template <typename T>
  void Shuffle(std::vector<T>& items) {
    for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[Below(i)]);
  }

 private:
  uint64_t state_;
};

}  // namespace culprit::gold

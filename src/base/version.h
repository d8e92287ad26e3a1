// A dotted version number, compared part by part as numbers: 9.10 > 9.9, 580.159 > 580.65.04.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace culprit::base {

// The numbers of a version. Tables are compared by the thousand, and nearly every version has few numbers:
// these need no memory of their own.
class VersionParts {
 public:
  VersionParts() = default;
  VersionParts(std::initializer_list<uint32_t> parts) : VersionParts(std::span(parts)) {}
  explicit VersionParts(std::span<const uint32_t> parts) {
    for (const uint32_t part : parts) push_back(part);
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const uint32_t* begin() const { return many_.empty() ? few_.data() : many_.data(); }
  const uint32_t* end() const { return begin() + size_; }
  uint32_t& operator[](size_t index) { return many_.empty() ? few_[index] : many_[index]; }
  uint32_t operator[](size_t index) const { return begin()[index]; }
  uint32_t front() const { return *begin(); }
  uint32_t& back() { return (*this)[size_ - 1]; }
  void push_back(uint32_t part) {
    resize(size_ + 1);
    back() = part;
  }
  void pop_back() { resize(size_ - 1); }
  void resize(size_t size);

  friend bool operator==(const VersionParts& a, const VersionParts& b) { return (a <=> b) == 0; }
  friend std::strong_ordering operator<=>(const VersionParts& a, const VersionParts& b) {
    return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::array<uint32_t, 5> few_{};
  uint32_t size_ = 0;
  std::vector<uint32_t> many_;  // all of them, where they are more
};

struct Version {
  VersionParts parts;  // never empty

  // Accepts digits separated by single dots, nothing else.
  static std::optional<Version> Parse(std::string_view text);
  std::string ToString() const;
  uint32_t part(size_t index) const { return index < parts.size() ? parts[index] : 0; }

  // Missing parts count as zero: 9.1 == 9.1.0.
  friend std::strong_ordering operator<=>(const Version& a, const Version& b);
  friend bool operator==(const Version& a, const Version& b) { return (a <=> b) == 0; }
};

}  // namespace culprit::base

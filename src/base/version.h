// A dotted version number, compared part by part as numbers: 9.10 > 9.9, 580.159 > 580.65.04.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace culprit::base {

struct Version {
  std::vector<uint32_t> parts;  // never empty

  // Accepts digits separated by single dots, nothing else.
  static std::optional<Version> Parse(std::string_view text);
  std::string ToString() const;
  uint32_t part(size_t index) const { return index < parts.size() ? parts[index] : 0; }

  // Missing parts count as zero: 9.1 == 9.1.0.
  friend std::strong_ordering operator<=>(const Version& a, const Version& b);
  friend bool operator==(const Version& a, const Version& b) { return (a <=> b) == 0; }
};

}  // namespace culprit::base

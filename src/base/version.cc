#include "base/version.h"

#include <algorithm>
#include <charconv>

namespace culprit::base {

void VersionParts::resize(size_t size) {
  if (many_.empty() && size > few_.size()) many_.assign(few_.begin(), few_.begin() + size_);
  if (!many_.empty()) {
    many_.resize(size);
  } else {
    std::fill(few_.begin() + size_, few_.begin() + std::max<size_t>(size, size_), 0U);
  }
  size_ = static_cast<uint32_t>(size);
}

std::optional<Version> Version::Parse(std::string_view text) {
  Version version;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    uint32_t part = 0;
    const auto [next, error] = std::from_chars(at, end, part);
    if (error != std::errc() || next == at) return std::nullopt;
    version.parts.push_back(part);
    if (next == end) return version;
    if (*next != '.') return std::nullopt;
    at = next + 1;
  }
}

std::string Version::ToString() const {
  std::string text;
  for (const uint32_t part : parts) {
    if (!text.empty()) text += '.';
    text += std::to_string(part);
  }
  return text;
}

std::strong_ordering operator<=>(const Version& a, const Version& b) {
  const size_t n = std::max(a.parts.size(), b.parts.size());
  for (size_t i = 0; i < n; ++i) {
    if (const auto order = a.part(i) <=> b.part(i); order != 0) return order;
  }
  return std::strong_ordering::equal;
}

}  // namespace culprit::base

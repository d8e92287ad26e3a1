#include "base/version.h"

#include <algorithm>
#include <limits>

namespace culprit::base {

void VersionParts::resize(size_t size) {
  if (many_.empty() && size <= few_.size()) {  // nearly always
    for (size_t i = size_; i < size; ++i) few_[i] = 0;
    size_ = static_cast<uint32_t>(size);
    return;
  }
  if (many_.empty() && size > few_.size()) many_.assign(few_.begin(), few_.begin() + size_);
  many_.resize(size);
  size_ = static_cast<uint32_t>(size);
}

std::optional<Version> Version::Parse(std::string_view text) {
  std::optional<Version> version(std::in_place);
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto at_digit = [&] { return at != end && *at >= '0' && *at <= '9'; };
  while (at_digit()) {
    uint64_t part = 0;
    for (; at_digit(); ++at) {
      part = part * 10 + static_cast<uint64_t>(*at - '0');
      if (part > std::numeric_limits<uint32_t>::max()) return std::nullopt;
    }
    version->parts.push_back(static_cast<uint32_t>(part));
    if (at == end) return version;
    if (*at++ != '.') return std::nullopt;
  }
  return std::nullopt;
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

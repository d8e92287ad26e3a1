#include "knowledge/packages/release.h"

#include <algorithm>

namespace culprit::knowledge {

base::Version Known(std::string_view text) {
  auto version = base::Version::Parse(text);
  return version ? *std::move(version) : base::Version{{0}};
}

bool BeginsWith(const base::Version& whole, const base::Version& prefix) {
  return whole.parts.size() >= prefix.parts.size() &&
         std::equal(prefix.parts.begin(), prefix.parts.end(), whole.parts.begin());
}

base::Version MinorOf(const base::Version& version) {
  base::Version minor = version;
  if (minor.parts.size() > 2) minor.parts.resize(2);
  return minor;
}

std::optional<base::Version> ParseCapability(std::string_view text) {
  bool named = false;
  for (const std::string_view prefix : {"sm_", "compute_"}) {
    if (text.starts_with(prefix)) {
      text.remove_prefix(prefix.size());
      named = true;
      break;
    }
  }
  if (text.ends_with('a') || text.ends_with('f')) text.remove_suffix(1);
  auto version = base::Version::Parse(text);
  if (!version) return std::nullopt;
  if (version->parts.size() == 2 && !named) return version;
  const uint32_t number = version->parts.front();
  if (version->parts.size() != 1 || number < 10 || number > 999) return std::nullopt;  // "90", "120"
  return base::Version{{number / 10, number % 10}};
}

}  // namespace culprit::knowledge

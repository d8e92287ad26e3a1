// Finds the builds of a framework release.
#include "knowledge/packages/frameworks.h"

#include <algorithm>
#include <array>
#include <utility>

#include "knowledge/packages/release.h"

namespace culprit::knowledge {
namespace {

using base::Version;

// The row's `version` stands for every version that starts with it; so does `until`.
bool Covers(const FrameworkRelease& row, const Version& version) {
  const Version first = Known(row.version);
  if (row.until.empty()) return BeginsWith(version, first);
  const Version last = Known(row.until);
  return version >= first && (version <= last || BeginsWith(version, last));
}

}  // namespace

std::string_view FrameworkName(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kOtherNames = {{
      {"pytorch", "torch"},
      {"tf", "tensorflow"},
      {"tensorflow-gpu", "tensorflow"},
      {"onnxruntime-gpu", "onnxruntime"},
      {"ort", "onnxruntime"},
      {"paddlepaddle", "paddle"},
      {"paddlepaddle-gpu", "paddle"},
  }};
  for (const auto& [other, own] : kOtherNames) {
    if (name == other) return own;
  }
  static const std::vector<std::string_view> kOwn = [] {
    std::vector<std::string_view> names;
    for (const FrameworkRelease& row : FrameworkReleases()) {
      if (std::ranges::find(names, row.framework) == names.end()) names.push_back(row.framework);
    }
    return names;
  }();
  const auto found = std::ranges::find(kOwn, name);
  return found == kOwn.end() ? "" : *found;
}

std::vector<const FrameworkRelease*> FindFramework(std::string_view framework, const Version& version,
                                                   std::string_view variant) {
  std::vector<const FrameworkRelease*> rows;
  for (const FrameworkRelease& row : FrameworkReleases()) {
    if (row.framework == framework && Covers(row, version)) rows.push_back(&row);
  }
  if (rows.empty()) {  // "2.5" -> the newest 2.5.x
    for (const FrameworkRelease& row : FrameworkReleases()) {
      if (row.framework != framework || !BeginsWith(Known(row.version), version)) continue;
      if (!rows.empty() && Known(rows.front()->version) > Known(row.version)) continue;
      if (!rows.empty() && Known(rows.front()->version) < Known(row.version)) rows.clear();
      rows.push_back(&row);
    }
  }
  // If there are rows for 1.18 and for 1.18.1, the more specific one counts.
  size_t longest = 0;
  for (const FrameworkRelease* row : rows) longest = std::max(longest, Known(row->version).parts.size());
  std::erase_if(rows, [&](const FrameworkRelease* row) {
    const bool shorter = row->until.empty() && Known(row->version).parts.size() < longest;
    return shorter || (!variant.empty() && row->variant != variant);
  });
  const auto first = std::ranges::find_if(rows, [](const FrameworkRelease* row) { return row->is_default; });
  if (first != rows.end()) std::rotate(rows.begin(), first, first + 1);
  return rows;
}

}  // namespace culprit::knowledge

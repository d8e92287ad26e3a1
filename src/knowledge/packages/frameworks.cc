// Finds the builds of a framework release.
#include "knowledge/packages/frameworks.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "knowledge/packages/release.h"

namespace culprit::knowledge {
namespace {

using base::Version;

// What a row stands for: every version that starts with `first`, or all from it to those that start with
// `last`.
struct Releases {
  const FrameworkRelease* row;
  Version first;
  std::optional<Version> last;

  bool Cover(const Version& version) const {
    if (!last) return BeginsWith(version, first);
    return version >= first && (version <= *last || BeginsWith(version, *last));
  }
};

// Read once: a comparison of many builds asks for the same framework hundreds of times.
const std::vector<Releases>& ReleasesOf(std::string_view framework) {
  static const auto kAll = [] {
    std::map<std::string_view, std::vector<Releases>> all;
    for (const FrameworkRelease& row : FrameworkReleases()) {
      std::optional<Version> last;
      if (!row.until.empty()) last = Known(row.until);
      all[row.framework].push_back({&row, Known(row.version), std::move(last)});
    }
    return all;
  }();
  static const std::vector<Releases> kNone;
  const auto found = kAll.find(framework);
  return found == kAll.end() ? kNone : found->second;
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
  const std::vector<Releases>& own = ReleasesOf(name);
  return own.empty() ? "" : own.front().row->framework;
}

std::vector<const FrameworkRelease*> FindFramework(std::string_view framework, const Version& version,
                                                   std::string_view variant) {
  const std::vector<Releases>& all = ReleasesOf(framework);
  std::vector<const Releases*> found;
  for (const Releases& releases : all) {
    if (releases.Cover(version)) found.push_back(&releases);
  }
  if (found.empty()) {  // "2.5" -> the newest 2.5.x
    for (const Releases& releases : all) {
      if (!BeginsWith(releases.first, version)) continue;
      if (!found.empty() && found.front()->first > releases.first) continue;
      if (!found.empty() && found.front()->first < releases.first) found.clear();
      found.push_back(&releases);
    }
  }
  // If there are rows for 1.18 and for 1.18.1, the more specific one counts.
  size_t longest = 0;
  for (const Releases* releases : found) longest = std::max(longest, releases->first.parts.size());
  std::vector<const FrameworkRelease*> rows;
  for (const Releases* releases : found) {
    const bool shorter = !releases->last && releases->first.parts.size() < longest;
    if (!shorter && (variant.empty() || releases->row->variant == variant)) rows.push_back(releases->row);
  }
  const auto first = std::ranges::find_if(rows, [](const FrameworkRelease* row) { return row->is_default; });
  if (first != rows.end()) std::rotate(rows.begin(), first, first + 1);
  return rows;
}

}  // namespace culprit::knowledge

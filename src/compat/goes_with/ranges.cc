// Ranges in words, and lines for GPUs and frameworks.
#include <algorithm>
#include <map>
#include <set>

#include "compat/chosen_build.h"
#include "compat/goes_with/goes_with.h"
#include "knowledge/arch.h"
#include "knowledge/packages/release.h"

namespace culprit::compat {
namespace {

using base::Version;
using knowledge::Build;

constexpr size_t kMostExamples = 4;

// The suffix or the extra that tells a build from the others of its release.
std::string VariantOf(const Build& build) {
  if (build.row.framework == "cupy") return std::string(build.distribution);
  if (!build.extra.empty() && build.extra == build.row.variant) return "[" + build.extra + "]";
  return build.row.variant.empty() ? "" : "+" + std::string(build.row.variant);
}

std::vector<std::string> FrameworkNames() {
  std::vector<std::string> names;
  for (const knowledge::FrameworkRelease& row : knowledge::FrameworkReleases()) {
    if (std::ranges::find(names, row.framework) == names.end()) names.emplace_back(row.framework);
  }
  return names;
}

}  // namespace

Range RangeOf(const std::vector<std::string>& all, const std::function<bool(size_t)>& fits) {
  Range range;
  size_t first = all.size();  // of the neighbours that are being joined
  const auto end = [&](size_t after) {
    if (first == all.size()) return;
    range.text +=
        (range.text.empty() ? "" : ", ") + all[first] + (after - 1 == first ? "" : " to " + all[after - 1]);
    first = all.size();
  };
  for (size_t i = 0; i < all.size(); ++i) {
    if (!fits(i)) {
      end(i);
      continue;
    }
    range.values.push_back(all[i]);
    if (first == all.size()) first = i;
  }
  end(all.size());
  return range;
}

void AddRange(Lines& lines, std::string what, Range range, std::string why, std::string_view source) {
  if (range.values.empty()) return;
  lines.push_back({.what = std::move(what),
                   .range = std::move(range.text),
                   .values = std::move(range.values),
                   .why = std::move(why),
                   .source = std::string(source)});
}

void AddGpus(Lines& lines, const std::function<bool(const Version& cc)>& fits) {
  std::vector<std::string> order;
  std::map<std::string, report::GoesWith> by_architecture;
  for (const knowledge::Capability& row : knowledge::Capabilities()) {
    if (!row.renamed_to.empty() || !fits(knowledge::Known(row.cc))) continue;
    const std::string name(row.architecture);
    const auto [at, fresh] = by_architecture.try_emplace(name);
    report::GoesWith& line = at->second;
    if (fresh) {
      order.push_back(name);
      line.what = "GPU, " + name;
      line.source = row.source;
    }
    line.values.emplace_back(row.cc);
    for (size_t i = 0; i < std::min(row.examples.size(), kMostExamples); ++i)
      line.why += (line.why.empty() ? "" : ", ") + std::string(row.examples[i]);
  }
  for (const std::string& name : order) lines.push_back(std::move(by_architecture[name]));
}

void AddFrameworks(Lines& lines, base::Machine machine, const std::function<bool(const Build&)>& fits) {
  for (const std::string& framework : FrameworkNames()) {
    std::vector<std::string> releases;
    std::vector<std::vector<std::string>> fitting;  // variants, by release
    std::set<std::string> variants;
    std::vector<Build> builds = knowledge::BuildsOf(framework, machine);
    std::ranges::reverse(builds);
    report::GoesWith line{.what = framework};
    for (const Build& build : builds) {
      if (releases.empty() || releases.back() != build.version) {
        releases.emplace_back(build.version);
        fitting.emplace_back();
      }
      if (!build.in_table || !fits(build)) continue;
      fitting.back().push_back(VariantOf(build));
      variants.insert(VariantOf(build));
      line.values.push_back(BuildName(build));
      line.source = build.row.source;
    }
    line.range = RangeOf(releases, [&](size_t i) { return !fitting[i].empty(); }).text;
    for (const std::string& variant : variants) {
      if (!variant.empty()) line.why += (line.why.empty() ? "as " : ", ") + variant;
    }
    if (!line.values.empty()) lines.push_back(std::move(line));
  }
}

}  // namespace culprit::compat

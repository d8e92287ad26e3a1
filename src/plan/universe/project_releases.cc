#include "plan/universe/project_releases.h"

#include <algorithm>
#include <map>

#include "base/pep440.h"
#include "base/text.h"
#include "plan/commands/in_order.h"
#include "plan/universe/builds.h"

namespace culprit::plan {
namespace {

using knowledge::ProjectWheels;

bool Holds(std::span<const std::string_view> list, std::string_view item) {
  return std::ranges::find(list, item) != list.end();
}

// Rows of `all` that are about a package; the tables by hand are in no order.
template <typename Row>
std::vector<const Row*> About(std::span<const Row> all, std::string_view package) {
  std::vector<const Row*> rows;
  for (const Row& row : all) {
    if (row.package == package) rows.push_back(&row);
  }
  return rows;
}

bool IsNewer(const ProjectRelease& a, const ProjectRelease& b) {
  if (a.number != b.number) return a.number > b.number;
  const auto one = base::PythonVersion::Parse(a.version), two = base::PythonVersion::Parse(b.version);
  return one && two && one->ComparePublic(*two) == std::strong_ordering::greater;
}

}  // namespace

const knowledge::Project* FindProject(std::string_view name) {
  const auto rows = knowledge::Projects();
  const auto found = std::ranges::find(rows, name, &knowledge::Project::package);
  return found == rows.end() ? nullptr : &*found;
}

const knowledge::SourceBuild* FindSourceBuild(std::string_view name, std::string_view version) {
  for (const knowledge::SourceBuild& row : knowledge::SourceBuilds()) {
    if (row.package != name) continue;
    if (row.versions.empty() || version.empty() || base::Meets(version, row.versions) == true) return &row;
  }
  return nullptr;
}

bool IsProject(std::string_view name) {
  if (!knowledge::WheelsOf(name).empty()) return true;
  const knowledge::SourceBuild* build = FindSourceBuild(name, "");
  return build != nullptr && !build->requirement.empty();
}

bool HasProjectRelease(const std::string& name, std::string_view specifiers) {
  const auto rows = knowledge::WheelsOf(name);
  return std::ranges::any_of(rows, [&](const ProjectWheels& row) {
    return std::ranges::any_of(
        row.versions, [&](std::string_view version) { return base::Meets(version, specifiers) == true; });
  });
}

bool AdmitsBefore(const std::string& version, const std::string& specifiers) {
  return std::ranges::all_of(base::Split(specifiers, ','), [&](const std::string& part) {
    if (part.empty() || part.starts_with('<') || part.starts_with("!=")) return true;
    std::string lowest = part.substr(std::min(part.find_first_not_of("=<>~!"), part.size()));
    if (lowest.ends_with(".*")) lowest.resize(lowest.size() - 2);
    return base::Meets(lowest, "<" + version) == true;
  });
}

std::vector<ProjectRelease> ReleasesOfProject(const std::string& name, Machine machine) {
  std::map<std::string_view, ProjectRelease> by_version;
  const std::string_view tag = PlatformTag(machine);
  for (const ProjectWheels& row : knowledge::WheelsOf(name)) {
    for (const std::string_view version : row.versions) {
      ProjectRelease& release = by_version[version];
      release.version = version;
      if (row.platform == "source") {
        release.archive = &row;
      } else if (row.platform == tag || row.platform == "any") {
        release.wheels.push_back(&row);
      }
    }
  }
  for (const knowledge::ProjectNeeds& row : knowledge::NeedsOf(name)) {
    if (!row.platforms.empty() && !Holds(row.platforms, tag)) continue;
    for (const std::string_view version : row.versions) {
      if (const auto found = by_version.find(version); found != by_version.end())
        found->second.needs.push_back(&row);
    }
  }
  const auto codes = About(knowledge::ProjectCodes(), name);
  const auto unstated = About(knowledge::AllUnstatedNeeds(), name);
  std::vector<ProjectRelease> releases;
  for (auto& [version, release] : by_version) {
    release.number = NumberOf(version);
    for (const knowledge::ProjectCode* row : codes) {
      const bool here = row->platforms.empty() || Holds(row->platforms, tag);
      if (here && Holds(row->versions, version)) release.code.push_back(row);
    }
    for (const knowledge::UnstatedNeeds* row : unstated) {
      if (row->versions.empty() || base::Meets(version, row->versions) == true)
        release.unstated.push_back(row);
    }
    if (release.wheels.empty() && release.archive != nullptr) release.build = FindSourceBuild(name, version);
    releases.push_back(std::move(release));
  }
  SortInOrder(releases, IsNewer);
  if (releases.empty() && IsProject(name)) {
    releases.push_back({.version = "", .number = base::Version{{0}}});
    releases.back().build = FindSourceBuild(name, "");
  }
  return releases;
}

}  // namespace culprit::plan

#include "knowledge/packages/project_releases.h"

#include <algorithm>
#include <map>

#include "base/parallel/in_order.h"
#include "base/python/pep440.h"
#include "base/text.h"
#include "knowledge/packages/builds.h"
#include "knowledge/packages/release.h"

namespace culprit::knowledge {
namespace {

constexpr std::string_view kOwnVersion = "{version}";

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

template <typename Row>
const Row* WithVersion(const std::vector<const Row*>& rows, std::string_view version) {
  const auto found = std::ranges::find_if(rows, [&](const Row* row) {
    return row->versions.empty() || base::Meets(version, row->versions) == true;
  });
  return found == rows.end() ? nullptr : *found;
}

bool IsNewer(const ProjectRelease& a, const ProjectRelease& b) {
  if (a.number != b.number) return a.number > b.number;
  const auto one = base::PythonVersion::Parse(a.version), two = base::PythonVersion::Parse(b.version);
  return one && two && one->ComparePublic(*two) == std::strong_ordering::greater;
}

}  // namespace

const Project* FindProject(std::string_view name) {
  const auto rows = Projects();
  const auto found = std::ranges::find(rows, name, &Project::package);
  return found == rows.end() ? nullptr : &*found;
}

const SourceBuild* FindSourceBuild(std::string_view name, std::string_view version) {
  for (const SourceBuild& row : SourceBuilds()) {
    if (row.package != name) continue;
    if (row.versions.empty() || version.empty() || base::Meets(version, row.versions) == true) return &row;
  }
  return nullptr;
}

bool IsProject(std::string_view name) {
  if (!WheelsOf(name).empty()) return true;
  const SourceBuild* build = FindSourceBuild(name, "");
  return build != nullptr && !build->requirement.empty();
}

bool HasProjectRelease(const std::string& name, std::string_view specifiers) {
  const auto rows = WheelsOf(name);
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

std::vector<ProjectRelease> ReleasesOfProject(std::string_view name, Machine machine) {
  std::map<std::string_view, ProjectRelease> by_version;
  const std::string_view tag = PlatformTag(machine);
  for (const Distribution& row : DistributionsOf(name)) {
    ProjectRelease& release = by_version[row.version];
    if (row.platform == tag || row.platform == "any") release.wheel = &row;
  }
  for (const ProjectWheels& row : WheelsOf(name)) {
    for (const std::string_view version : row.versions) {
      ProjectRelease& release = by_version[version];
      if (row.platform == "source") {
        release.archive = &row;
      } else if (row.platform == tag || row.platform == "any") {
        release.wheels.push_back(&row);
      }
    }
  }
  for (const ProjectNeeds& row : NeedsOf(name)) {
    if (!row.platforms.empty() && !Holds(row.platforms, tag)) continue;
    for (const std::string_view version : row.versions) {
      if (const auto found = by_version.find(version); found != by_version.end())
        found->second.needs.push_back(&row);
    }
  }
  if (by_version.empty() && IsProject(name)) by_version[""].build = FindSourceBuild(name, "");
  const auto codes = About(ProjectCodes(), name);
  const auto unstated = About(AllUnstatedNeeds(), name);
  const auto opened = About(OpenedLibraries(), name);
  const auto libraries = About(AllProjectLibraries(), name);
  const Project* project = FindProject(name);
  std::vector<ProjectRelease> releases;
  for (auto& [version, release] : by_version) {
    release.package = name;
    release.version = version;
    release.number = version.empty() ? base::Version{{0}} : NumberOf(version);
    release.machine = machine;
    release.project = project;
    for (const ProjectCode* row : codes) {
      const bool here = row->platforms.empty() || Holds(row->platforms, tag);
      if (here && Holds(row->versions, version)) release.code.push_back(row);
    }
    for (const UnstatedNeeds* row : unstated) {
      if (row->versions.empty() || base::Meets(version, row->versions) == true)
        release.unstated.push_back(row);
    }
    for (const ProjectLibraries* row : libraries) {
      if (Holds(row->platforms, tag) && Holds(row->versions, version)) release.libraries = row;
    }
    if (!opened.empty()) release.opened = WithVersion(opened, version);
    const bool no_wheel = release.wheels.empty() && release.wheel == nullptr;
    if (no_wheel && release.archive != nullptr) release.build = FindSourceBuild(name, version);
    releases.push_back(std::move(release));
  }
  base::SortInOrder(releases, IsNewer);
  return releases;
}

const ProjectRelease* ReleaseMeant(const std::vector<ProjectRelease>& releases, std::string_view version) {
  const auto asked = base::PythonVersion::Parse(version);
  if (!asked) return nullptr;
  const ProjectRelease* newest = nullptr;
  for (const ProjectRelease& release : releases) {  // newest first
    const auto own = base::PythonVersion::Parse(release.version);
    if (!own) continue;
    if (own->ComparePublic(*asked) == std::strong_ordering::equal) return &release;
    if (newest == nullptr && !own->pre && BeginsWith(release.number, NumberOf(version))) newest = &release;
  }
  return newest;
}

TableEntry FindEntry(std::string_view name) {
  if (const std::string_view own = FrameworkName(name); !own.empty()) return {own, std::string(own), ""};
  const size_t dash = name.rfind('-');
  const std::string_view whole = dash == std::string_view::npos ? "" : FrameworkName(name.substr(0, dash));
  const bool in_tables = !WheelsOf(name).empty() || !DistributionsOf(name).empty();
  if (!whole.empty()) {  // the builds of cupy are packages of the index
    const std::string variant(name.substr(dash + 1));
    const auto rows = FrameworkReleases();
    const bool row = std::ranges::any_of(
        rows, [&](const FrameworkRelease& one) { return one.framework == whole && one.variant == variant; });
    const bool listed = IsBuildOf(whole, name);
    if (listed || (row && !in_tables)) return {whole, std::string(whole), variant};
  }
  return {"", in_tables || IsPinned(name) || IsProject(name) ? std::string(name) : "", ""};
}

Required TakeApart(std::string_view text, std::string_view version, std::string_view source) {
  Required parts{.source = source};
  const size_t end = std::min(text.find_first_of("[=<>~!"), text.size());
  parts.name = text.substr(0, end);
  text.remove_prefix(end);
  if (text.starts_with('[')) {
    const size_t close = std::min(text.find(']'), text.size() - 1);
    parts.extras = text.substr(1, close - 1);
    text.remove_prefix(close + 1);
  }
  parts.specifiers = text;
  if (const size_t at = parts.specifiers.find(kOwnVersion); at != std::string::npos)
    parts.specifiers.replace(at, kOwnVersion.size(), version);
  return parts;
}

std::vector<Required> RequirementsOf(const ProjectRelease& release, const base::Version* python) {
  std::vector<Required> found;
  const auto add = [&](std::string_view text, std::string_view source) {
    found.push_back(TakeApart(text, release.version, source));
  };
  if (const Pin* pin = FindPin(release.package, release.version)) {
    for (const std::string_view text : pin->needs) add(text, pin->source);
  }
  for (const ProjectNeeds* row : release.needs) {
    if (!row->extra.empty()) continue;
    const bool holds =
        row->python.empty() || (python != nullptr && base::Meets(python->ToString(), row->python) != false);
    if (!holds) continue;
    for (const std::string_view text : row->needs) add(text, row->source);
  }
  for (const UnstatedNeeds* row : release.unstated) {
    for (const std::string_view text : row->needs) add(text, row->source);
  }
  std::erase_if(found, IsOfMachine);
  if (release.build != nullptr) {
    for (const std::string_view first : release.build->first) {
      if (FrameworkName(first) == first) add(first, release.build->source);
    }
  }
  if (const Extension* compiled = CompiledAgainst(release.package, release.version))
    add(std::string(compiled->of) + "==" + std::string(compiled->of_version), compiled->source);
  return found;
}

bool IsOfMachine(const Required& required) { return required.name == "driver" || required.name == "gpu"; }

const Extension* CompiledAgainst(std::string_view package, std::string_view version) {
  const auto rows = Extensions();
  const auto found = std::ranges::find_if(
      rows, [&](const Extension& row) { return row.package == package && row.version == version; });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace culprit::knowledge

// Whether two packages satisfy each other's requirements: what the index says of frameworks and of packages
// beside them.
#include <algorithm>

#include "base/python/pep440.h"
#include "knowledge/packages/builds.h"
#include "knowledge/packages/project_fit.h"

namespace culprit::knowledge {
namespace {

// A name as METADATA may spell it: what asks for onnxruntime-gpu asks for onnxruntime.
bool IsNamed(std::string_view name, std::string_view package) {
  if (name == package) return true;
  const TableEntry entry = FindEntry(package);
  return !entry.framework.empty() && entry.variant.empty() &&
         (name == entry.framework || IsBuildOf(entry.framework, name));
}

bool EverAsksFor(std::string_view package, std::string_view other) {
  const auto in = [&](std::span<const std::string_view> needs, std::string_view version) {
    return std::ranges::any_of(
        needs, [&](std::string_view text) { return IsNamed(TakeApart(text, version, "").name, other); });
  };
  const auto rows = NeedsOf(package);
  if (std::ranges::any_of(rows,
                          [&](const ProjectNeeds& row) { return row.extra.empty() && in(row.needs, ""); }))
    return true;
  const auto unstated = AllUnstatedNeeds();
  return std::ranges::any_of(
      unstated, [&](const UnstatedNeeds& row) { return row.package == package && in(row.needs, ""); });
}

// What one release asks of the other package; empty if nothing.
std::optional<Answer> Asks(std::string_view package, std::string_view version, std::string_view other,
                           std::string_view other_version, Machine machine, const base::Version* python) {
  const std::vector<ProjectRelease> releases = ReleasesOfProject(package, machine);
  const ProjectRelease* release = ReleaseMeant(releases, version);
  if (release == nullptr) return std::nullopt;
  std::optional<Answer> found;
  for (const Required& required : RequirementsOf(*release, python)) {
    if (!IsNamed(required.name, other)) continue;
    const auto met = base::Meets(other_version, required.specifiers);
    const Verdict verdict = !met ? Verdict::kUnknown : *met ? Verdict::kYes : Verdict::kNo;
    if (found && found->verdict == Verdict::kNo) break;
    found = Answer{
        verdict,
        Text(package) + " " + Text(release->version) + " requires " + required.name + required.specifiers,
        required.source};
  }
  return found;
}

}  // namespace

std::optional<Answer> PackagesTogether(std::string_view package, std::string_view version,
                                       std::string_view other, std::string_view other_version,
                                       Machine machine, const base::Version* python) {
  Answer pinned = PackagesFit(package, version, other, other_version);
  if (pinned.verdict != Verdict::kUnknown) return pinned;
  if (auto answer = Asks(package, version, other, other_version, machine, python)) return answer;
  if (auto answer = Asks(other, other_version, package, version, machine, python)) return answer;
  const bool related =
      AreRelated(package, other) || EverAsksFor(package, other) || EverAsksFor(other, package);
  return related ? std::optional(pinned) : std::nullopt;
}

}  // namespace culprit::knowledge

#include "change/whatif/wheels/wheel_versions.h"

#include <algorithm>

#include "base/text.h"
#include "base/version.h"
#include "knowledge/packages/distributions.h"
#include "knowledge/packages/frameworks.h"
#include "knowledge/packages/pins.h"
#include "knowledge/packages/release.h"

namespace culprit::whatif {
namespace {

// The numbers of "2.5.1+cu124", "0.0.27.post2"; nothing for a version with letters elsewhere.
std::optional<base::Version> Numbers(std::string_view version) {
  version = version.substr(0, version.find('+'));
  version = version.substr(0, version.find(".post"));
  return base::Version::Parse(version);
}

bool ForPython(const knowledge::Distribution& row, const std::string& python) {
  if (python.empty()) return true;
  if (!row.pythons.empty()) return std::ranges::find(row.pythons, python) != row.pythons.end();
  const auto version = base::Version::Parse(python);
  return row.python.empty() || !version ||
         knowledge::AdmitsMinor(row.python, *version) != knowledge::Verdict::kNo;
}

bool AreSpecifiers(const std::string& text) { return text.find_first_of("<>=!~*,") != std::string::npos; }

// The version that a specifier names: 9.3.0.75 of "<10.0,>=9.3.0.75", 12.1 of "==12.1.*".
std::string Named(const std::string& specifiers) {
  for (const std::string_view sign : {"==", ">=", "~=", "<="}) {
    for (const std::string& one : base::Split(specifiers, ',')) {
      const std::string_view text = base::Trim(one);
      if (!text.starts_with(sign)) continue;
      std::string version(base::Trim(text.substr(text.find_first_not_of("<>=!~"))));
      if (version.ends_with(".*")) version.resize(version.size() - 2);
      return version;
    }
  }
  return "";
}

}  // namespace

bool MeetsNeed(const std::string& version, const std::string& specifiers) {
  if (specifiers.empty()) return true;
  const auto number = Numbers(version);
  return !number || knowledge::Meets(*number, specifiers) != knowledge::Verdict::kNo;
}

std::vector<std::string> KnownVersions(const std::string& package, const Environment& environment) {
  std::vector<std::string> versions;
  const auto rows = knowledge::DistributionsOf(package);
  for (const knowledge::Distribution& row : rows) {
    if (row.platform != "any" && row.platform != environment.Platform()) continue;
    if (ForPython(row, environment.python)) versions.emplace_back(row.version);
  }
  if (rows.empty()) {
    for (const knowledge::WheelVersions& wheels : knowledge::Wheels()) {
      if (wheels.package == package) versions.assign(wheels.versions.begin(), wheels.versions.end());
    }
    for (const knowledge::Pin& pin : knowledge::Pins()) {
      if (pin.package == package) versions.emplace_back(pin.version);
    }
  }
  std::erase_if(versions, [](const std::string& version) { return !Numbers(version); });
  std::ranges::sort(versions, [](const std::string& a, const std::string& b) {
    const auto order = *Numbers(a) <=> *Numbers(b);
    return order == 0 ? a < b : order < 0;
  });
  const auto same = std::ranges::unique(versions);
  versions.erase(same.begin(), same.end());
  return versions;
}

base::Result<std::string> ChooseVersion(const std::string& package, const std::string& wanted,
                                        const Environment& environment,
                                        const std::vector<InstalledPackage>& installed) {
  const bool specifiers = AreSpecifiers(wanted);
  if (!wanted.empty() && !specifiers) return wanted;
  std::vector<std::string> asked;  // by those that are there
  for (const InstalledPackage& other : installed) {
    if (other.name == package) continue;
    for (const std::string& text : other.requirements) {
      const Need need = ParseNeed(text);
      if (need.name == package && Counts(need, environment)) asked.push_back(need.specifiers);
    }
  }
  const std::vector<std::string> known = KnownVersions(package, environment);
  const std::string_view framework = knowledge::FrameworkName(package);
  std::string first, any;
  for (auto version = known.rbegin(); version != known.rend(); ++version) {
    if (specifiers && !MeetsNeed(*version, wanted)) continue;
    if (any.empty()) any = *version;
    // One about whose build nothing is known would be an empty shell.
    if (!framework.empty() && knowledge::FindFramework(framework, *Numbers(*version)).empty()) continue;
    if (first.empty()) first = *version;
    if (std::ranges::all_of(asked, [&](const auto& need) { return MeetsNeed(*version, need); }))
      return *version;
  }
  if (!first.empty()) return first;
  if (!any.empty()) return any;
  if (specifiers && !Named(wanted).empty()) return Named(wanted);
  for (const InstalledPackage& old : installed) {
    if (old.name == package) return old.version;
  }
  // What a package of the environment requires names one too, also where it does so for an extra.
  for (const InstalledPackage& other : installed) {
    for (const std::string& text : other.requirements) {
      const Need need = ParseNeed(text);
      if (need.name == package && !Named(need.specifiers).empty()) return Named(need.specifiers);
    }
  }
  return base::Fail(base::ErrorCode::kUnsupported, "no known version of " + package + " fits");
}

}  // namespace culprit::whatif

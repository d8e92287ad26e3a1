// Which candidates of a package meet the specifiers of those that require it.
#include "base/python/pep440.h"
#include "knowledge/packages/project_releases.h"
#include "plan/universe/making.h"

namespace culprit::plan {

// Candidates of a package that meet specifiers, each asked once.
const std::vector<size_t>& Making::AcceptedBy(size_t package, const std::string& specifiers) {
  const auto [at, fresh] = accepted_.try_emplace({package, specifiers});
  if (!fresh) return at->second;
  const auto& candidates = universe_.packages[package].candidates;
  const std::vector<WrittenVersion>& versions = VersionsOf(package);
  const base::SpecifierSet asked(specifiers);
  bool met = false;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const WrittenVersion& version = versions[i];
    if (!candidates[i].before.empty()) {
      met = knowledge::AdmitsBefore(candidates[i].before, specifiers);
    } else if (!version.again) {
      met = specifiers.empty() || (version.read && asked.Accepts(*version.read, version.text) == true);
    }
    if (met) at->second.push_back(i);
  }
  return at->second;
}

// The versions of a package's candidates, read once.
const std::vector<Making::WrittenVersion>& Making::VersionsOf(size_t package) {
  const auto [at, fresh] = versions_.try_emplace(package);
  if (!fresh) return at->second;
  const Candidate* last = nullptr;
  for (const Candidate& candidate : universe_.packages[package].candidates) {
    WrittenVersion version;
    version.again = last != nullptr && candidate.row != nullptr && last->number == candidate.number;
    if (!version.again) {
      version.text = candidate.row != nullptr ? candidate.number.ToString() : candidate.version;
      version.read = base::PythonVersion::Parse(version.text);
    }
    last = &candidate;
    at->second.push_back(std::move(version));
  }
  return at->second;
}

}  // namespace culprit::plan

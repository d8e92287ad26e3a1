#include "rules/kit/python/package_changes.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/python/pep440.h"
#include "base/text.h"
#include "knowledge/packages/distributions.h"
#include "knowledge/packages/frameworks.h"
#include "knowledge/packages/packages.h"
#include "knowledge/packages/pins.h"

namespace culprit::rules {
namespace {

using snapshot::PythonEnvironment;
using snapshot::PythonPackage;
using snapshot::Requirement;

// The version that a clause pins: in "==9.1.0.70", and in "==13.1.0.3.*": NVIDIA packages have four numbers,
// and a fifth is a fixed build of the same version.
std::string Named(std::string_view clause) {
  if (!clause.starts_with("==")) return "";
  std::string version(base::Trim(clause.substr(clause.starts_with("===") ? 3 : 2)));
  if (!version.ends_with(".*")) return version;
  version.resize(version.size() - 2);
  return std::ranges::count(version, '.') == 3 ? version : "";
}

// The only version that the clauses allow, also for "<=0.9.0,>=0.9.0".
std::string TheOnly(std::string_view specifier) {
  const auto clauses = base::Split(specifier, ',');
  for (const std::string& clause : clauses) {
    const std::string_view text = base::Trim(clause);
    if (std::string named = Named(text); !named.empty()) return named;
    if (!text.starts_with("<=")) continue;
    for (const std::string& other : clauses) {
      if (base::Trim(other) == ">=" + std::string(text.substr(2))) return std::string(text.substr(2));
    }
  }
  return "";
}

// Whether a wheel can be installed there, as far as we know.
bool ForEnvironment(const Scene& scene, const PythonEnvironment& environment,
                    const knowledge::Distribution& row) {
  const std::string& machine = scene.snapshot.cpu.machine;
  const std::string platform = scene.OnWindows()      ? "windows-x86_64"
                               : machine == "aarch64" ? "linux-aarch64"
                                                      : "linux-x86_64";
  if (row.platform != "any" && row.platform != platform) return false;
  if (environment.python.empty()) return true;
  if (!row.pythons.empty()) return std::ranges::find(row.pythons, environment.python) != row.pythons.end();
  return row.python.empty() || base::Meets(environment.python, row.python) != false;
}

bool MeetsAll(std::string_view version, std::span<const std::string> specifiers) {
  return std::ranges::all_of(specifiers,
                             [&](const std::string& one) { return base::Meets(version, one) == true; });
}

// "nvidia-cudnn-cu12==9.1.0.70", "cuda-toolkit[cublas]==13.0.2"
Requirement Parsed(std::string_view text) {
  const size_t end = text.find_first_of("=<>~![; ");
  Requirement requirement;
  requirement.name = text.substr(0, end);
  std::string_view rest = end == std::string_view::npos ? "" : text.substr(end);
  if (rest.starts_with('[')) {
    const size_t close = rest.find(']');
    if (close == std::string_view::npos) return requirement;
    requirement.extras = base::SplitWords(rest.substr(1, close - 1), ",");
    rest = rest.substr(close + 1);
  }
  requirement.specifier = rest.substr(0, rest.find(';'));
  return requirement;
}

// The CUDA packages that a build from PyTorch's own index installs: those of its CUDA release, and its cuDNN.
// Our tables have only PyPI's pins; they do not say which update of that release it is.
std::vector<Requirement> OfVariant(const Scene& scene, const PythonEnvironment& environment,
                                   const std::string& release, const std::string& variant) {
  std::vector<Requirement> requirements;
  const auto number = base::Version::Parse(release);
  const auto rows = number ? knowledge::FindFramework("torch", *number, variant)
                           : std::vector<const knowledge::FrameworkRelease*>{};
  if (rows.empty() || rows.front()->libraries != knowledge::LibrariesFrom::kNvidiaPip) return requirements;
  const auto cuda = base::Version::Parse(rows.front()->cuda);
  if (!cuda) return requirements;
  const std::string minor[] = {"==" + std::to_string(cuda->part(0)) + "." + std::to_string(cuda->part(1)) +
                               ".*"};
  const auto toolkit = ExactVersion(scene, environment, "cuda-toolkit", minor);
  const auto* pin = toolkit ? knowledge::FindPin("cuda-toolkit", *toolkit, "all") : nullptr;
  if (pin != nullptr) {
    for (const std::string_view text : pin->needs) requirements.push_back(Parsed(text));
  }
  Requirement cudnn;
  cudnn.name = "nvidia-cudnn-cu" + std::to_string(cuda->part(0));
  // "9.10.2.21" is a package version, "9.17.1" a release; "" means the newest.
  const std::string own(rows.front()->cudnn);
  if (own == "none") return requirements;
  if (!own.empty()) cudnn.specifier = "==" + own + (std::ranges::count(own, '.') < 3 ? ".*" : "");
  requirements.push_back(std::move(cudnn));
  return requirements;
}

// What a release requires here: from its record if it is installed, otherwise from our tables.
std::vector<Requirement> RequirementsOf(const Scene& scene, const PythonEnvironment& environment,
                                        const Wanted& wanted) {
  std::vector<Requirement> requirements;
  base::MarkerFacts facts = MarkerFactsOf(scene, environment);
  facts.extras = wanted.extras;
  bool recorded = false;
  for (const PythonPackage* installed : PackagesNamed(scene, environment, wanted.package)) {
    if (installed->version != wanted.version) continue;
    for (const Requirement& one : installed->requirements) {
      if (base::Holds(one.marker, facts) == true) requirements.push_back(one);
      recorded = true;
    }
  }
  // Our tables have the requirements of the Linux wheels; the Windows wheels bundle their CUDA.
  if (scene.OnWindows()) return requirements;
  const size_t local = wanted.version.find('+');
  if (!recorded && wanted.package == "torch" && local != std::string::npos)
    return OfVariant(scene, environment, PublicVersion(wanted.version), wanted.version.substr(local + 1));
  std::set<std::string> extras = wanted.extras;
  if (!recorded) extras.insert("");
  for (const std::string& extra : extras) {
    const knowledge::Pin* pin = knowledge::FindPin(wanted.package, PublicVersion(wanted.version), extra);
    if (pin == nullptr) continue;
    for (const std::string_view text : pin->needs) {
      Requirement one = Parsed(text);
      // These install the CUDA packages through extras; our tables do not say which ones are requested.
      if (one.name.starts_with("jax-cuda") && one.name.ends_with("-plugin")) one.extras = {"with-cuda"};
      if (one.name == "cuda-toolkit") one.extras = {"all"};
      if (std::ranges::find(requirements, one.name, &Requirement::name) == requirements.end())
        requirements.push_back(std::move(one));
    }
  }
  return requirements;
}

template <typename Kind>
bool IsIn(const std::vector<report::Change>& changes, const std::string& package) {
  return std::ranges::any_of(changes, [&](const report::Change& change) {
    const auto* one = change.As<Kind>();
    return one != nullptr && one->package == package;
  });
}

}  // namespace

std::string PublicVersion(std::string_view version) {
  return std::string(version.substr(0, version.find('+')));
}

std::vector<std::string> KnownVersions(const Scene& scene, const PythonEnvironment& environment,
                                       std::string_view package) {
  std::vector<std::pair<base::PythonVersion, std::string>> versions;
  const auto add = [&](std::string_view text) {
    auto version = base::PythonVersion::Parse(text);
    if (version && !version->pre && !version->dev) versions.emplace_back(std::move(*version), text);
  };
  const auto rows = knowledge::DistributionsOf(package);
  for (const knowledge::Distribution& row : rows) {
    if (ForEnvironment(scene, environment, row)) add(row.version);
  }
  if (rows.empty()) {
    for (const auto& pin : knowledge::Pins()) {
      if (pin.package == package && pin.extra.empty()) add(pin.version);
    }
  }
  std::ranges::sort(versions,
                    [](const auto& a, const auto& b) { return a.first.ComparePublic(b.first) > 0; });
  std::vector<std::string> texts;
  for (auto& [unused, text] : versions) {
    if (texts.empty() || texts.back() != text) texts.push_back(std::move(text));
  }
  return texts;
}

std::optional<std::string> ExactVersion(const Scene& scene, const PythonEnvironment& environment,
                                        std::string_view package, std::span<const std::string> specifiers) {
  for (const std::string& specifier : specifiers) {
    std::string version = TheOnly(specifier);
    if (version.empty()) continue;
    return MeetsAll(version, specifiers) ? std::optional(std::move(version)) : std::nullopt;
  }
  for (std::string& version : KnownVersions(scene, environment, package)) {
    if (MeetsAll(version, specifiers)) return std::move(version);
  }
  return std::nullopt;
}

std::optional<std::string> VersionForAll(const Scene& scene, const PythonEnvironment& environment,
                                         std::string_view package, std::string also) {
  std::set<std::string> seen = {also};  // thousands of packages may ask for the same
  std::vector<std::string> specifiers = {std::move(also)};
  for (Asked& asked : AskedOf(scene, environment, package)) {
    if (seen.insert(asked.specifier).second) specifiers.push_back(std::move(asked.specifier));
  }
  return ExactVersion(scene, environment, package, specifiers);
}

Command ForPip(const Wanted& wanted) {
  Command extras;
  for (const std::string& extra : wanted.extras)
    extras += (extras.empty() ? Command("") : ",") + Plain(extra);
  const Command version = wanted.version.empty() ? "" : "==" + Plain(wanted.version);
  if (extras.empty()) return Plain(wanted.package) + version;
  return "\"" + Plain(wanted.package) + "[" + extras + "]" + version + "\"";
}

bool HasSameFilesForEveryCuda(std::string_view component) {
  return component == "nvidia-cudnn" || component == "nvidia-nccl" || component == "nvidia-cusparselt" ||
         component == "nvidia-nvshmem" || component == "nvidia-curand" || component == "nvidia-cusolver" ||
         component == "nvidia-nvtx";
}

std::vector<std::string> InTheWay(const Scene& scene, const PythonEnvironment& environment,
                                  const std::vector<report::Change>& changes) {
  std::vector<std::string> names;
  for (const PythonPackage& package : environment.packages) {
    const std::string major = CudaMajorOfPackage(package.name);
    const std::string component = package.name.substr(0, package.name.rfind("-cu"));
    if (major.empty() || !HasSameFilesForEveryCuda(component)) continue;
    const bool overwritten = std::ranges::any_of(changes, [&](const report::Change& change) {
      const auto* install = change.As<report::InstallPackage>();
      return install != nullptr && install->package.starts_with(component + "-cu") &&
             install->package != package.name;
    });
    if (!overwritten) continue;
    // Packages that are replaced themselves no longer count.
    const bool needed = std::ranges::any_of(
        AskedOf(scene, environment, package.name),
        [&](const Asked& asked) { return !IsIn<report::InstallPackage>(changes, asked.by->name); });
    if (!needed) names.push_back(package.name);
  }
  return names;
}

Command PytorchIndex(std::string_view torch) {
  const size_t local = torch.find('+');
  const auto release = base::Version::Parse(PublicVersion(torch));
  if (local == std::string_view::npos || !release) return "";
  const knowledge::WheelIndex* index = knowledge::FindWheelIndex("torch", *release);
  if (index == nullptr) return "";
  return " " + report::FromTable(index->option) + " " +
         Word(knowledge::FillIn(index->address,
                                {.version = *release, .cuda = {{0}}, .variant = torch.substr(local + 1)}));
}

Build SameBuild(const Scene& scene, const PythonEnvironment& environment,
                const snapshot::Framework& framework) {
  const std::string release = PublicVersion(framework.version);
  Build build{.wanted = {framework.package.empty() ? framework.name : framework.package, release},
              .index = {}};
  if (framework.name == "torch") {
    // Wheels from PyTorch's own index have the variant in their record, those from PyPI do not.
    const PythonPackage* record = environment.Find(build.wanted.package);
    const size_t local = framework.version.find('+');
    const bool elsewhere =
        record == nullptr ? scene.OnWindows() : record->version.find('+') != std::string::npos;
    if (elsewhere && local != std::string::npos) {
      build.index = PytorchIndex(framework.version);
      build.wanted.version = framework.version;
    }
  } else if (framework.name == "jax") {
    build.wanted.extras = {"cuda" + MajorOf(framework.cuda)};
  } else {
    for (const char* extra : {"and-cuda", "cuda", "cudnn", "ctk"}) {
      if (knowledge::FindPin(build.wanted.package, release, extra) != nullptr)
        build.wanted.extras.insert(extra);
    }
  }
  return build;
}

namespace {

// A version that meets the requirement and, if possible, also those of the packages that stay.
std::optional<std::string> VersionToAdd(const Scene& scene, const PythonEnvironment& environment,
                                        const Requirement& requirement,
                                        const std::vector<report::Change>& changes) {
  std::vector<std::string> specifiers = {requirement.specifier};
  for (Asked& one : AskedOf(scene, environment, requirement.name)) {
    if (!IsIn<report::InstallPackage>(changes, one.by->name)) specifiers.push_back(std::move(one.specifier));
  }
  if (auto version = ExactVersion(scene, environment, requirement.name, specifiers)) return version;
  return ExactVersion(scene, environment, requirement.name, std::span(specifiers).first(1));
}

// `asked`: packages already visited; requirements may be circular.
void Add(const Scene& scene, const PythonEnvironment& environment, const Wanted& wanted, Pip how,
         std::set<std::string>& asked, std::vector<report::Change>& changes) {
  if (IsIn<report::InstallPackage>(changes, wanted.package) || !asked.insert(wanted.package).second) return;
  const PythonPackage* present = FirstNamed(scene, environment, wanted.package);
  const bool stays = how == Pip::kMissing && present != nullptr && present->version == wanted.version &&
                     !IsIn<report::RemovePackage>(changes, wanted.package);
  if (!stays) changes.push_back(report::InstallPackage{environment.prefix, wanted.package, wanted.version});
  if (how == Pip::kAlone) return;
  for (const Requirement& requirement : RequirementsOf(scene, environment, wanted)) {
    const PythonPackage* installed = FirstNamed(scene, environment, requirement.name);
    const bool there = installed != nullptr &&
                       base::Meets(installed->version, requirement.specifier) == true &&
                       !IsIn<report::RemovePackage>(changes, requirement.name);
    if (there && how == Pip::kMissing && requirement.extras.empty()) continue;
    auto version =
        there ? std::optional(installed->version) : VersionToAdd(scene, environment, requirement, changes);
    if (!version) continue;  // our tables do not say what pip would choose
    Add(scene, environment,
        {requirement.name, *version, {requirement.extras.begin(), requirement.extras.end()}}, how, asked,
        changes);
  }
}

}  // namespace

void AddInstall(const Scene& scene, const PythonEnvironment& environment, const Wanted& wanted, Pip how,
                std::vector<report::Change>& changes) {
  std::set<std::string> asked;
  Add(scene, environment, wanted, how, asked, changes);
}

}  // namespace culprit::rules

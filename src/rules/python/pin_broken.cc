// CUL6007: the installed CUDA packages do not meet a package's requirements.
#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include "base/python/package_name.h"
#include "base/python/pep440.h"
#include "knowledge/libraries.h"
#include "knowledge/packages/extensions.h"
#include "rules/kit/python/package_changes.h"

namespace culprit::rules::pin_broken {
namespace {

using report::Severity;
using snapshot::PythonEnvironment;
using snapshot::PythonPackage;
using snapshot::Requirement;

constexpr std::string_view kPage = R"md(
## What it means
A package in this environment requires exact or bounded versions of CUDA packages, and another version is installed, or
none. Usually a later `pip install` of something else replaced them.

## Why it breaks
Frameworks are tested with one set of CUDA libraries. Another cuBLAS, nvJitLink or cuDNN can lack symbols
(`undefined symbol: __nvJitLinkComplete_12_4`), refuse the program (cuDNN older than the one compiled against) or work
by luck. TensorFlow before 2.18 was compiled against NumPy 1 and does not import with NumPy 2. PyTorch before 2.3 (on
Windows before 2.4.1) imports, but every conversion fails: `RuntimeError: Numpy is not available`.

## How culprit knows
It evaluates the requirements in METADATA (PEP 440 versions, PEP 508 markers) against the records of what is installed.
Extras are followed if another package requires them. PyTorch's METADATA does not limit NumPy: that limit is in
culprit's tables.

## Fix
Install the required versions, in one command with the package that requires them.

## When this is not your problem
A library that is newer within its major version usually works, so this is a warning (NumPy 2 where a framework requires
NumPy 1 is an error). Packages that were left out on purpose, because the libraries come from the system, are a note as
long as everything loads.

## Sources
PEP 440, PEP 508; METADATA of the package; https://github.com/pytorch/pytorch/issues/107302 and
https://github.com/pytorch/pytorch/issues/131668 (PyTorch and NumPy 2).
)md";

// Pairs that have their own rules.
bool HasOwnRule(const PythonPackage& package, const Requirement& requirement) {
  static constexpr std::array<std::string_view, 4> kOnTorch = {"torchvision", "torchaudio", "xformers",
                                                               "flash-attn"};
  if (requirement.name == "torch") return std::ranges::find(kOnTorch, package.name) != kOnTorch.end();
  return requirement.name.starts_with("jax");
}

// A framework that was compiled against NumPy 1 does not import with NumPy 2.
bool EndsImport(const PythonPackage& package, const Requirement& requirement,
                const PythonPackage* installed) {
  const bool compiled =
      package.name.starts_with("tensorflow") || package.name == "jaxlib" || package.name.starts_with("cupy");
  return compiled && requirement.name == "numpy" && installed != nullptr &&
         MajorOf(installed->version) == "2" && base::Meets("2.0.0", requirement.specifier) == false;
}

// Whether the rules about loads know what the package brings.
bool HasKnownLibrary(std::string_view package) {
  return std::ranges::any_of(knowledge::Libraries(), [&](const knowledge::Library& library) {
    return std::ranges::any_of(library.packages,
                               [&](std::string_view one) { return base::NormalName(one) == package; });
  });
}

// Of a framework the simulated import tells whether it finds its libraries, which can come from the system
// instead; torch.compile needs Triton, on a GPU only. Without any other package the import fails.
bool CanDoWithout(const PythonEnvironment& environment, const PythonPackage& package,
                  const Requirement& requirement, Presence gpu) {
  // tensorflow-intel is what the package tensorflow installs on Windows.
  const bool simulated =
      std::ranges::any_of(environment.frameworks, [&](const snapshot::Framework& framework) {
        return package.name == framework.package || package.name.starts_with(framework.name + "-");
      });
  if (requirement.name.starts_with("triton")) return gpu != Presence::kYes;
  return simulated || !requirement.marker.empty() || HasKnownLibrary(requirement.name);
}

struct Broken {
  Requirement requirement;
  const PythonPackage* installed;  // nullptr: none
  // What the package was compiled against, which METADATA does not say; nullptr: METADATA says it.
  const knowledge::Compiled* compiled = nullptr;

  // "requires numpy<2, but 2.4.6 is installed"
  std::string Words() const {
    const std::string required = compiled != nullptr ? "was compiled against " + requirement.name + " " +
                                                           std::to_string(compiled->major) + ".x"
                                                     : "requires " + requirement.name + requirement.specifier;
    return required + ", but " +
           (installed == nullptr ? "it is not installed" : installed->version + " is installed");
  }
};

// What to install to meet this requirement and all others on the same package.
struct Remedy {
  std::optional<std::string> version;
  std::optional<Asked> contrary{};  // a requirement that conflicts with this one
};

Remedy RemedyFor(const Scene& scene, const PythonEnvironment& environment, const Requirement& requirement) {
  Remedy remedy{.version = VersionForAll(scene, environment, requirement.name, requirement.specifier)};
  const std::string own[] = {requirement.specifier};
  const auto alone = ExactVersion(scene, environment, requirement.name, own);
  if (remedy.version || !alone) return remedy;
  for (const Asked& asked : AskedOf(scene, environment, requirement.name)) {
    if (base::Meets(*alone, asked.specifier) == false) remedy.contrary = asked;
  }
  return remedy;
}

report::Fix SeparateEnvironments(const PythonPackage& package, const Asked& contrary,
                                 const std::string& required) {
  const std::string& other = contrary.by->name;
  return {.text = "no version meets both: " + other + " " + contrary.by->version + " requires " + required +
                  contrary.specifier + "; give " + package.name + " and " + other + " separate environments",
          .commands = {"culprit plan " + Plain(package.name) + " " + Plain(other)},
          .risk = report::Risk::kMedium,
          .changes = {report::NotInFiles{"a second environment for " + other,
                                         "the user decides which of the two moves there"}}};
}

report::Fix FixFor(const Scene& scene, const PythonEnvironment& environment, const PythonPackage& package,
                   const std::vector<Broken>& broken) {
  const Command pip = PipOf(environment);
  report::Fix fix{
      .text = "install what " + package.name + " needs", .commands = {}, .risk = report::Risk::kMedium};
  Command wanted;
  std::string names;
  bool exact = true;
  for (const Broken& one : broken) {
    const Remedy remedy = RemedyFor(scene, environment, one.requirement);
    if (remedy.contrary) return SeparateEnvironments(package, *remedy.contrary, one.requirement.name);
    exact &= remedy.version.has_value();
    if (!remedy.version) {
      wanted += " \"" + Plain(one.requirement.name) + report::Specifier(one.requirement.specifier) + "\"";
      continue;
    }
    const Wanted exactly{one.requirement.name,
                         *remedy.version,
                         {one.requirement.extras.begin(), one.requirement.extras.end()}};
    wanted += " " + ForPip(exactly);
    names += (names.empty() ? "" : ", ") + exactly.package + " " + exactly.version;
    AddInstall(scene, environment, exactly, Pip::kMissing, fix.changes);
  }
  if (exact) {
    fix.text += ": " + names;
  } else {
    fix.changes.clear();  // our tables do not say which version pip would choose
  }
  fix.commands = {pip + " install" + wanted, pip + " check"};
  return fix;
}

void Report(const Scene& scene, const PythonEnvironment& environment, const PythonPackage& package,
            const std::vector<Broken>& broken, Ruling& ruling) {
  const Broken& worst = *std::ranges::min_element(broken, {}, [&](const Broken& one) {
    return EndsImport(package, one.requirement, one.installed) ? 0 : one.installed == nullptr ? 2 : 1;
  });
  std::string summary = package.name + " " + package.version + " " + worst.Words();
  if (broken.size() > 1) summary += " (and " + std::to_string(broken.size() - 1) + " more)";
  report::Finding& finding =
      ruling.Fire(std::move(summary), package.record, {worst.requirement.name, worst.requirement.specifier});
  // A library that was left out on purpose, or that only some features need, is harmless as long as
  // everything loads; if not, the rule about the library says so.
  if (worst.installed == nullptr && CanDoWithout(environment, package, worst.requirement, GpuPresence(scene)))
    finding.severity = Severity::kNote;
  if (EndsImport(package, worst.requirement, worst.installed)) finding.severity = Severity::kError;
  finding.affects.push_back(package.name + " " + package.version + " in " + environment.prefix);
  for (const Broken& one : broken) {
    finding.evidence.push_back(
        {one.Words(), one.installed == nullptr ? package.record : one.installed->record});
    if (one.compiled != nullptr)
      finding.evidence.push_back(
          {"METADATA does not limit " + one.requirement.name, std::string(one.compiled->source)});
  }
  finding.fix = FixFor(scene, environment, package, broken);
}

// Whether the package is one of these wheels. Conda's builds are compiled against what conda has.
bool IsAmong(const knowledge::Compiled& wheels, const PythonPackage& package, const Scene& scene) {
  const std::string_view below = scene.OnWindows() ? wheels.below_windows : wheels.below;
  return package.name == wheels.package && package.installer != "conda" &&
         base::Meets(PublicVersion(package.version), "<" + std::string(below)) == true;
}

void CheckEnvironment(const Scene& scene, const PythonEnvironment& environment, Ruling& ruling) {
  const base::MarkerFacts facts = MarkerFactsOf(scene, environment);
  const auto asked = AskedExtras(environment, facts);
  for (const std::string& problem : environment.problems) ruling.NotEnoughFacts(environment.prefix, problem);
  std::unordered_map<std::string_view, const PythonPackage*> by_name;  // the first of each name
  for (const PythonPackage& package : environment.packages) by_name.try_emplace(package.name, &package);
  for (const PythonPackage& package : environment.packages) {
    if (by_name.at(package.name) != &package) continue;  // another of this name comes first on sys.path
    base::MarkerFacts own = facts;
    if (const auto extras = asked.find(package.name); extras != asked.end()) own.extras = extras->second;
    std::vector<Broken> broken;
    for (const knowledge::Compiled& compiled : knowledge::CompiledPackages()) {
      const auto found = by_name.find(compiled.against);
      if (found == by_name.end() || !IsAmong(compiled, package, scene)) continue;
      Requirement same{.name = std::string(compiled.against),
                       .specifier = "<" + std::to_string(compiled.major + 1)};
      if (base::Meets(found->second->version, same.specifier) == false)
        broken.push_back({std::move(same), found->second, &compiled});
    }
    for (const Requirement& requirement : package.requirements) {
      if (HasOwnRule(package, requirement)) continue;
      const auto holds = base::Holds(requirement.marker, own);
      if (holds == false) continue;
      const auto found = by_name.find(requirement.name);
      const PythonPackage* installed = found == by_name.end() ? nullptr : found->second;
      const auto meets = installed == nullptr ? std::optional(false)
                                              : base::Meets(installed->version, requirement.specifier);
      if (!holds && meets != true) {
        ruling.NotEnoughFacts(package.name + " requires " + requirement.name + requirement.specifier,
                              "whether this applies here depends on: " + requirement.marker);
      } else if (!meets) {
        ruling.NotEnoughFacts(package.name + " requires " + requirement.name + requirement.specifier,
                              "cannot parse the version " + installed->version);
      } else if (!*meets) {
        broken.push_back({requirement, installed});
      }
    }
    if (!broken.empty()) Report(scene, environment, package, broken, ruling);
  }
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const auto& environment : EnvironmentsOf(scene, ruling)) CheckEnvironment(scene, environment, ruling);
}

}  // namespace

extern const Rule kRule = {.code = "CUL6007",
                           .name = "pin_broken",
                           .family = Family::kPython,
                           .cause = "framework-version-conflict",
                           .severity = Severity::kWarning,
                           .since = "0.2.0",
                           .title = "the installed CUDA packages do not meet a package's requirements",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::pin_broken

// CUL6003: torchvision, torchaudio, xformers or flash-attn was built for another torch than the installed
// one.
#include <array>

#include "base/python/pep440.h"
#include "rules/kit/gpu_code/fitting_build.h"

namespace culprit::rules::torch_companion_mismatch {
namespace {

using report::Severity;
using snapshot::Framework;
using snapshot::PythonEnvironment;

constexpr std::string_view kPage = R"md(
## What it means
A package with compiled code for PyTorch (torchvision, torchaudio, xformers, flash-attn) was built against another
PyTorch, or another CUDA, than the one in this environment.

## Why it breaks
PyTorch's C++ interfaces change with each release: `undefined symbol: _ZN3c10...`,
`operator torchvision::nms does not exist`, "Couldn't load custom C++ ops". torchaudio compares CUDA versions including
the minor number and raises "Detected that PyTorch and TorchAudio were compiled with different CUDA versions";
torchvision does the same with the major number; xformers continues without its kernels.

## How culprit knows
It compares the torch requirement in the package's record, the local part of the versions (+cu130 and +cu132), and for
xformers the build named in cpp_lib.json.

## Fix
Install all of them in one command from one index, so that the resolver picks a matching set. Do not upgrade torch
alone.

## When this is not your problem
Packages built on PyTorch's stable interface support several torch releases; their records say so, and then nothing is
reported unless the CUDA versions differ in a way that the package itself refuses.

## Sources
torchvision 0.29.2 extension.py, torchaudio 2.11.0 _extension/utils.py, xformers 0.0.35 _cpp_lib.py: the checks
named above.
)md";

constexpr std::array<std::string_view, 4> kCompanions = {"torchvision", "torchaudio", "xformers",
                                                         "flash-attn"};

struct Mismatch {
  std::string summary;
  Severity severity = Severity::kError;
  report::Evidence evidence;
};

std::optional<Mismatch> ByRequirement(const Scene& scene, const PythonEnvironment& environment,
                                      const Framework& companion, const Framework& torch) {
  const snapshot::PythonPackage* package = environment.Find(companion.package);
  if (package == nullptr) return std::nullopt;
  for (const snapshot::Requirement& requirement : package->requirements) {
    if (requirement.name != "torch") continue;
    if (base::Holds(requirement.marker, MarkerFactsOf(scene, environment)) != true) continue;
    if (base::Meets(torch.version, requirement.specifier) != false) continue;
    return Mismatch{companion.name + " " + companion.version + " requires torch" + requirement.specifier +
                        ", but torch " + torch.version + " is installed",
                    Severity::kError,
                    {"Requires-Dist: torch" + requirement.specifier, package->record + "/METADATA"}};
  }
  return std::nullopt;
}

// The same comparison that the package makes at import.
std::optional<Mismatch> ByCuda(const Framework& companion, const Framework& torch) {
  if (companion.cuda.empty() || torch.cuda.empty()) return std::nullopt;
  const bool to_the_minor = companion.name == "torchaudio";
  if (to_the_minor ? companion.cuda == torch.cuda : MajorOf(companion.cuda) == MajorOf(torch.cuda)) {
    return std::nullopt;
  }
  return Mismatch{
      companion.name + " " + companion.version + " was built with CUDA " + companion.cuda + ", torch " +
          torch.version + " with CUDA " + torch.cuda,
      companion.name == "xformers" ? Severity::kWarning : Severity::kError,
      {companion.name + " was built " +
           (companion.built_with.name.empty() ? "" : "against " + companion.built_with.text() + ", ") +
           "with CUDA " + companion.cuda,
       companion.source}};
}

std::optional<Mismatch> ByKind(const Framework& companion, const Framework& torch) {
  if (!companion.cpu_only || torch.cuda.empty()) return std::nullopt;
  return Mismatch{companion.name + " " + companion.version + " is a build without CUDA, torch " +
                      torch.version + " has CUDA " + torch.cuda,
                  Severity::kWarning,
                  {companion.name + " " + companion.version, companion.source}};
}

// The torch build that xformers names, with everything built on it; otherwise the release of the package that
// matches the installed torch, for the same CUDA.
report::Fix FixFor(const Scene& scene, const PythonEnvironment& environment, const Framework& companion,
                   const Framework& torch, bool by_cuda) {
  const Command pip = PipOf(environment);
  report::Fix fix{.text = {}, .commands = {}, .risk = report::Risk::kMedium};
  const std::string package = companion.package.empty() ? companion.name : companion.package;
  if (companion.built_with.name == torch.name) {
    const std::string& built = companion.built_with.version;
    if (const auto fitting = FindFittingBuild(scene, environment, "torch", PublicVersion(built))) {
      fix.text = "install torch " + PublicVersion(built) + ", which this " + companion.name +
                 " was built with, together with the packages built on it; do not upgrade only one of them";
      InstallTogether(scene, environment, fitting->build, fix);
      return fix;
    }
  }
  // If only the CUDA differs, the release itself matches.
  const auto version =
      by_cuda ? std::optional(PublicVersion(companion.version)) : CompanionOf(companion.name, torch.version);
  if (!version) {
    fix.text =
        "install torch and the packages built on it together, for one CUDA; culprit does not know "
        "which release of " +
        companion.name + " matches torch " + torch.version;
    fix.commands = {companion.name == "flash-attn"
                        ? pip + " install --force-reinstall --no-deps --no-build-isolation " + Plain(package)
                        : "culprit plan torch " + Plain(companion.name)};
    return fix;
  }
  // PyTorch's own index has a build of each for every CUDA; PyPI has one build of each, made to match.
  Build build = SameBuild(scene, environment, torch);
  const size_t local = torch.version.find('+');
  if (build.index.empty() && by_cuda && local != std::string::npos) {
    build.index = PytorchIndex(torch.version);
  }
  const Wanted wanted{package, *version + (build.index.empty() ? "" : torch.version.substr(local))};
  fix.text = "install " + companion.name + " " + wanted.version + ", which matches torch " + torch.version +
             "; do not upgrade only one of them";
  fix.commands = {pip + " install --force-reinstall --no-deps " + ForPip(wanted) + build.index};
  AddInstall(scene, environment, wanted, Pip::kAlone, fix.changes);
  return fix;
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const PythonEnvironment& environment : EnvironmentsOf(scene, ruling)) {
    const Framework* torch = FindFramework(environment, "torch");
    if (torch == nullptr) continue;
    for (const std::string_view name : kCompanions) {
      const Framework* companion = FindFramework(environment, name);
      if (companion == nullptr) continue;
      auto mismatch = ByRequirement(scene, environment, *companion, *torch);
      const bool by_cuda = !mismatch && name != "flash-attn";
      if (!mismatch) mismatch = ByCuda(*companion, *torch);
      if (!mismatch) mismatch = ByKind(*companion, *torch);
      if (!mismatch) continue;
      report::Finding& finding = ruling.Fire(mismatch->summary, companion->directory, {torch->version});
      finding.severity = mismatch->severity;
      finding.affects.push_back(TitleOf(environment, *companion));
      finding.evidence.push_back(std::move(mismatch->evidence));
      finding.evidence.push_back(
          {"torch " + torch->version + (torch->cuda.empty() ? "" : ", built with CUDA " + torch->cuda),
           torch->source});
      finding.fix = FixFor(scene, environment, *companion, *torch, by_cuda);
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL6003",
                           .name = "torch_companion_mismatch",
                           .family = Family::kPython,
                           .cause = "framework-version-conflict",
                           .severity = Severity::kError,
                           .since = "0.2.0",
                           .title = "a PyTorch extension package was built for another PyTorch",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::torch_companion_mismatch

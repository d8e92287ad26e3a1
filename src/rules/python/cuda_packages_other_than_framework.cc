// CUL6009: the installed CUDA packages are for another CUDA major than the framework.
#include <array>
#include <map>

#include "rules/kit/gpu_code/fitting_build.h"
#include "rules/kit/python/asked.h"
#include "rules/kit/python/package_changes.h"

namespace culprit::rules::cuda_packages_other_than_framework {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The framework was built for one CUDA major; the nvidia-* packages in its environment are for another, and the framework
does not load.

## Why it breaks
CUDA libraries have the major version in their names: a framework built for CUDA 12 requires libcublas.so.12 and finds
libcublas.so.11. One cannot replace the other; renaming or symlinking a file only moves the crash.
## How culprit knows
The framework's build facts tell its CUDA, the package names tell theirs, and in the simulated import a library is
missing.
## Fix
Install the packages for the framework's CUDA, or a build of the framework for the installed CUDA.

## When this is not your problem
Packages of another major that something else uses are fine; this is reported only if a framework lacks its own.

## Sources
Sonames in the wheels of CUDA 11, 12 and 13 (data/libraries.toml).
)md";

// The CUDA majors of an environment's packages, each with one package as proof.
std::map<std::string, const snapshot::PythonPackage*> Majors(const Scene& scene,
                                                             const snapshot::PythonEnvironment& environment,
                                                             const snapshot::Framework& framework) {
  // What only another package requires says nothing about this framework.
  const auto is_of_others = [&](const snapshot::PythonPackage& package) {
    const std::vector<Asked> asked = AskedOf(scene, environment, package.name);
    const auto by_others = [&](const Asked& one) {
      return one.by->name != framework.package && !one.by->name.starts_with("nvidia-");
    };
    return std::ranges::any_of(asked, by_others) &&
           std::ranges::none_of(asked, [&](const Asked& one) { return one.by->name == framework.package; });
  };
  std::map<std::string, const snapshot::PythonPackage*> majors;
  for (const auto& package : environment.packages) {
    if (!package.name.starts_with("nvidia-")) continue;
    std::string major = CudaMajorOfPackage(package.name);
    // Since CUDA 13 the toolkit packages have no suffix; their version is the CUDA version.
    if (major.empty() && package.name == "nvidia-cuda-runtime") major = MajorOf(package.version);
    if (!major.empty() && !is_of_others(package)) majors.emplace(major, &package);
  }
  return majors;
}

void Check(const Scene& scene, Ruling& ruling) {
  static constexpr std::array<std::string_view, 6> kFrameworks = {"torch",  "tensorflow",  "jax",
                                                                  "paddle", "onnxruntime", "cupy"};
  for (const auto& environment : EnvironmentsOf(scene, ruling)) {
    for (const std::string_view name : kFrameworks) {
      const auto* framework = FindFramework(environment, name);
      if (framework == nullptr || framework->cuda.empty()) continue;
      const auto majors = Majors(scene, environment, *framework);
      const std::string wanted = MajorOf(framework->cuda);
      const auto* scenario = ScenarioOf(scene, environment, name);
      if (majors.empty() || majors.contains(wanted) || scenario == nullptr) continue;
      // onnxruntime's provider may fail without failing the import.
      bool lacks = !Works(*scenario);
      for (const auto& request : scenario->graph.requests) {
        lacks |= !request.error.empty() && !request.alternative && request.name.ends_with(".so." + wanted);
      }
      if (!lacks) continue;
      const auto& [other, proof] = *majors.rbegin();
      report::Finding& finding =
          ruling.Fire(std::string(name) + " " + framework->version + " is built for CUDA " + framework->cuda +
                          ", the CUDA packages in " + environment.prefix + " are for CUDA " + other,
                      framework->directory, {environment.prefix, other});
      finding.affects.push_back(scenario->title);
      finding.evidence.push_back(
          {std::string(name) + " was built for CUDA " + framework->cuda, framework->source});
      finding.evidence.push_back({proof->name + " " + proof->version, proof->record});
      if (!scenario->graph.import_error.empty()) {
        finding.evidence.push_back({scenario->graph.import_error, "predicted by the loader model"});
      }
      if (framework->name == "onnxruntime") {  // it bundles no CUDA
        if (auto fix = OnnxruntimeFor(scene, environment, other)) {
          finding.fix = *std::move(fix);
          continue;
        }
      }
      const Build same = SameBuild(scene, environment, *framework);
      finding.fix = {
          .text = "reinstall the framework with its dependencies, which include the packages for CUDA " +
                  wanted + "; do not symlink CUDA " + other + " libraries to other names",
          .commands = {PipOf(environment) + " install --force-reinstall " + ForPip(same.wanted) + same.index},
          .risk = report::Risk::kMedium};
      AddInstall(scene, environment, same.wanted, Pip::kEverything, finding.fix.changes);
      // pip keeps packages of the other CUDA, and some would mix with the new ones.
      Command names;
      for (const std::string& package : InTheWay(scene, environment, finding.fix.changes)) {
        names += " " + Plain(package);
        finding.fix.changes.insert(finding.fix.changes.begin(),
                                   report::RemovePackage{environment.prefix, package});
      }
      if (!names.empty())
        finding.fix.commands.insert(finding.fix.commands.begin(),
                                    PipOf(environment) + " uninstall -y" + names);
    }
  }
}

}  // namespace

extern const Rule kRule = {
    .code = "CUL6009",
    .name = "cuda_packages_other_than_framework",
    .family = Family::kPython,
    .cause = "cuda-version-mismatch",
    .severity = report::Severity::kError,
    .since = "0.2.0",
    .title = "the installed CUDA packages are for another CUDA major than the framework",
    .page = kPage,
    .check = Check};

}  // namespace culprit::rules::cuda_packages_other_than_framework

// CUL6008: CUDA packages of two majors that install into the same directories.
#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/python/package_changes.h"

namespace culprit::rules::cuda_major_packages_mixed {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
Packages such as nvidia-cudnn-cu11 and nvidia-cudnn-cu12 are both installed. They unpack into the same directory
(nvidia/cudnn/lib), so files of the same name come from whichever was installed last.

## Why it breaks
libcudnn.so.9 built for CUDA 11 requires libcublasLt.so.11 in a process with CUDA 12. Uninstalling one package deletes
files that the other one still lists.

## How culprit knows
culprit compares the records of the installed packages: the same component for two CUDA majors in one directory of
sys.path. Components whose file names contain the CUDA major (libcudart.so.11.0, libcudart.so.12) do not overwrite each
other and are listed only as evidence.

## Fix
Choose one CUDA major, uninstall both packages of each component, and install the one that the framework pins.

## When this is not your problem
CUDA 13 packages without a suffix are in nvidia/cu13 and do not conflict with those of CUDA 12.

## Sources
RECORD of the wheels nvidia-cudnn-cu11, nvidia-cudnn-cu12, nvidia-nccl-cu12, nvidia-nccl-cu13.
)md";

using Packages = std::vector<const snapshot::PythonPackage*>;

// Packages of one component for several CUDA majors, in one directory of sys.path; those of a component stand
// side by side.
Packages Overwriting(const snapshot::PythonEnvironment& environment) {
  std::map<std::pair<std::string, std::string>, Packages> groups;  // by directory and component
  for (const auto& package : environment.packages) {
    const std::string major = CudaMajorOfPackage(package.name);
    if (!package.name.starts_with("nvidia-") || major.empty() || package.installer == "conda") continue;
    const std::string component = package.name.substr(0, package.name.rfind("-cu"));
    groups[{std::string(base::DirName(package.record)), component}].push_back(&package);
  }
  Packages all;
  for (const auto& [key, packages] : groups) {
    if (!HasSameFilesForEveryCuda(key.second)) continue;
    std::set<std::string> majors;
    for (const auto* package : packages) majors.insert(CudaMajorOfPackage(package->name));
    if (majors.size() > 1) all.insert(all.end(), packages.begin(), packages.end());
  }
  return all;
}

report::Fix FixFor(const Scene& scene, const snapshot::PythonEnvironment& environment, const Packages& all) {
  report::Fix fix{.text =
                      "uninstall them all, then install the framework again: pip adds the packages of its "
                      "own CUDA major; uninstalling only one removes files of the other",
                  .commands = {},
                  .risk = report::Risk::kMedium};
  Command names;
  for (const auto* package : all) {
    names += " " + Plain(package->name);
    fix.changes.push_back(report::RemovePackage{environment.prefix, package->name});
  }
  fix.commands = {PipOf(environment) + " uninstall -y" + names};
  for (const char* name : {"torch", "tensorflow", "jax"}) {
    const auto* framework = FindFramework(environment, name);
    if (framework == nullptr || framework->package.empty()) continue;
    const Build same = SameBuild(scene, environment, *framework);
    fix.commands.push_back(PipOf(environment) + " install " + ForPip(same.wanted) + same.index);
    // Reinstalls only what was uninstalled, in the versions that the framework pins.
    for (const auto* package : all) {
      const std::string pinned = PinnedVersion(scene, environment, package->name);
      if (!pinned.empty() && CudaMajorOfPackage(package->name) == MajorOf(framework->cuda))
        fix.changes.push_back(report::InstallPackage{environment.prefix, package->name, pinned});
    }
    break;
  }
  return fix;
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const auto& environment : EnvironmentsOf(scene, ruling)) {
    const Packages all = Overwriting(environment);
    if (all.empty()) continue;
    report::Finding& finding = ruling.Fire(
        all[0]->name + " " + all[0]->version + " and " + all[1]->name + " " + all[1]->version +
            " are installed into one directory in " + environment.prefix + " and overwrite each other",
        all[0]->record, {environment.prefix});
    // A cuDNN for another CUDA major is a separate cause.
    if (std::ranges::all_of(all,
                            [](const auto* package) { return package->name.starts_with("nvidia-cudnn-"); }))
      finding.cause = "cuda-version-mismatch";
    for (const auto* package : all)
      finding.evidence.push_back({package->name + " " + package->version, package->record});
    for (const auto& framework : environment.frameworks) {
      if (!framework.cuda.empty()) finding.affects.push_back(TitleOf(environment, framework));
    }
    finding.fix = FixFor(scene, environment, all);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL6008",
                           .name = "cuda_major_packages_mixed",
                           .family = Family::kPython,
                           .root = report::Root::kOverwrites,
                           .cause = "cuda-mixed-versions",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "CUDA packages of two majors overwrite each other",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cuda_major_packages_mixed

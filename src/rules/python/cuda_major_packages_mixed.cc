// CUL6008: CUDA packages of two majors that install into the same directories.
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

void Check(const Scene& scene, Ruling& ruling) {
  for (const auto& environment : EnvironmentsOf(scene, ruling)) {
    // directory of sys.path and component -> packages
    std::map<std::pair<std::string, std::string>, std::vector<const snapshot::PythonPackage*>> groups;
    for (const auto& package : environment.packages) {
      const std::string major = CudaMajorOfPackage(package.name);
      if (!package.name.starts_with("nvidia-") || major.empty() || package.installer == "conda") continue;
      const std::string component = package.name.substr(0, package.name.rfind("-cu"));
      groups[{std::string(base::DirName(package.record)), component}].push_back(&package);
    }
    std::vector<const snapshot::PythonPackage*> both;
    std::string first;
    for (const auto& [key, packages] : groups) {
      if (!HasSameFilesForEveryCuda(key.second)) continue;
      std::set<std::string> majors;
      for (const auto* package : packages) majors.insert(CudaMajorOfPackage(package->name));
      if (majors.size() < 2) continue;
      if (both.empty()) {
        first = packages[0]->name + " " + packages[0]->version + " and " + packages[1]->name + " " +
                packages[1]->version;
      }
      both.insert(both.end(), packages.begin(), packages.end());
    }
    if (both.empty()) continue;
    report::Finding& finding = ruling.Fire(
        first + " are installed into one directory in " + environment.prefix + " and overwrite each other",
        both[0]->record, {environment.prefix});
    // A cuDNN for another CUDA major is a separate cause.
    if (std::ranges::all_of(both,
                            [](const auto* package) { return package->name.starts_with("nvidia-cudnn-"); }))
      finding.cause = "cuda-version-mismatch";
    std::string names;
    std::vector<report::Change> removed;
    for (const auto* package : both) {
      finding.evidence.push_back({package->name + " " + package->version, package->record});
      names += " " + package->name;
      removed.push_back(report::RemovePackage{environment.prefix, package->name});
    }
    for (const auto& framework : environment.frameworks) {
      if (!framework.cuda.empty()) finding.affects.push_back(TitleOf(environment, framework));
    }
    finding.fix = {.text =
                       "uninstall them all, then install the framework again: pip adds the packages of its "
                       "own CUDA major; uninstalling only one removes files of the other",
                   .commands = {PipOf(environment) + " uninstall -y" + names},
                   .risk = report::Risk::kMedium};
    finding.fix.changes = std::move(removed);
    for (const char* name : {"torch", "tensorflow", "jax"}) {
      const auto* framework = FindFramework(environment, name);
      if (framework == nullptr || framework->package.empty()) continue;
      const Build same = SameBuild(scene, environment, *framework);
      finding.fix.commands.push_back(PipOf(environment) + " install " + ForPip(same.wanted) + same.index);
      // Reinstalls only what was uninstalled, in the versions that the framework pins.
      for (const auto* package : both) {
        const std::string pinned = PinnedVersion(scene, environment, package->name);
        if (!pinned.empty() && CudaMajorOfPackage(package->name) == MajorOf(framework->cuda))
          finding.fix.changes.push_back(report::InstallPackage{environment.prefix, package->name, pinned});
      }
      break;
    }
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

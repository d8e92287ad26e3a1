// CUL6006: two onnxruntime packages in one directory.
#include "base/text.h"
#include "rules/kit/gpu_code/fitting_build.h"

namespace culprit::rules::onnxruntime_twice {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
onnxruntime and onnxruntime-gpu (also -directml, -openvino ...) are different packages that unpack into the same
directory `onnxruntime/`. Both are installed, so the files come from whichever was installed last.

## Why it breaks
Usually the CPU package is installed last, as a dependency of something else: `CUDAExecutionProvider` is gone although
onnxruntime-gpu "is installed". Uninstalling one of them removes files of the other.

## How culprit knows
It finds two records of packages that provide `onnxruntime/`, and reads in build_and_package_info.py which of them the
files belong to.

## Fix
Uninstall both, then install the one you want.

## When this is not your problem
Never worth keeping: even if the GPU build won, the next upgrade of either breaks it.

## Sources
microsoft/onnxruntime: setup.py (package names), onnxruntime/capi/build_and_package_info.py.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const auto& environment : EnvironmentsOf(scene, ruling)) {
    std::vector<const snapshot::PythonPackage*> packages;
    for (const auto& package : environment.packages) {
      const bool runtime = package.name == "onnxruntime" || package.name == "onnxruntime-gpu" ||
                           package.name == "onnxruntime-directml" || package.name == "onnxruntime-openvino" ||
                           package.name == "onnxruntime-training" || package.name == "onnxruntime-rocm";
      if (!runtime) continue;
      // Two directories of sys.path may have one each; they overwrite each other only in the same directory.
      if (packages.empty() || base::DirName(packages[0]->record) == base::DirName(package.record)) {
        if (packages.empty() || packages.back()->name != package.name) packages.push_back(&package);
      }
    }
    if (packages.size() < 2) continue;
    const auto* framework = FindFramework(environment, "onnxruntime");
    // The GPU package's provider stays behind, so the files look as if they had CUDA, but the main library is
    // the CPU package's.
    const bool lost = framework != nullptr && (framework->cpu_only || framework->package == "onnxruntime");
    report::Finding& finding = ruling.Fire(
        packages[0]->name + " " + packages[0]->version + " and " + packages[1]->name + " " +
            packages[1]->version + " share one directory in " + environment.prefix +
            (framework == nullptr ? ""
                                  : "; the files are from " + framework->package + " " + framework->version),
        framework == nullptr ? packages[1]->record : framework->directory,
        {environment.prefix, packages[0]->record, packages[1]->record});
    if (!lost) finding.severity = report::Severity::kWarning;
    if (framework != nullptr) {
      finding.affects.push_back(TitleOf(environment, *framework));
      finding.evidence.push_back({"the files are from " + framework->package + " " + framework->version +
                                      (lost ? ", without CUDA" : ""),
                                  framework->source});
    }
    std::string names;
    for (const auto* package : packages) {
      finding.evidence.push_back({package->name + " " + package->version, package->record});
      names += " " + package->name;
    }
    // The installed GPU release; if there is none, the newest that matches.
    Wanted one{"onnxruntime-gpu", ""};
    if (const auto* gpu = environment.Find(one.package)) {
      one.version = gpu->version;
    } else if (const auto fitting = FindFittingBuild(scene, environment, "onnxruntime")) {
      one.version = fitting->build.wanted.version;
    }
    finding.fix = {
        .text =
            "uninstall all of them, then install only onnxruntime-gpu; uninstalling just one removes files "
            "of the other",
        .commands = {PipOf(environment) + " uninstall -y" + names,
                     PipOf(environment) + " install " + ForPip(one)},
        .risk = report::Risk::kMedium};
    if (one.version.empty()) continue;
    for (const auto* package : packages) {
      finding.fix.changes.push_back(report::RemovePackage{environment.prefix, package->name});
    }
    AddInstall(scene, environment, one, Pip::kMissing, finding.fix.changes);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL6006",
                           .name = "onnxruntime_twice",
                           .family = Family::kPython,
                           .root = report::Root::kOverwrites,
                           .cause = "framework-version-conflict",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "onnxruntime and onnxruntime-gpu overwrite each other",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::onnxruntime_twice

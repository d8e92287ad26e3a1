// CUL6006: two onnxruntime packages in one directory.
#include <algorithm>
#include <array>
#include <string_view>

#include "rules/kit/gpu_code/fitting_build.h"
#include "rules/kit/python/rival_packages.h"

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
Never: even if the GPU build won, the next upgrade of either package breaks it.
## Sources
microsoft/onnxruntime: setup.py (package names), onnxruntime/capi/build_and_package_info.py.
)md";

bool IsOnnxruntime(const snapshot::PythonPackage& package) {
  static constexpr std::array<std::string_view, 6> kNames = {"onnxruntime",          "onnxruntime-gpu",
                                                             "onnxruntime-directml", "onnxruntime-openvino",
                                                             "onnxruntime-training", "onnxruntime-rocm"};
  return std::ranges::find(kNames, package.name) != kNames.end();
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const auto& environment : EnvironmentsOf(scene, ruling)) {
    const Rivals packages = RivalsIn(environment, IsOnnxruntime);
    if (packages.size() < 2) continue;
    const auto* framework = FindFramework(environment, "onnxruntime");
    // The GPU package's provider stays behind, so the files look as if they had CUDA, but the main library is
    // the CPU package's.
    const bool lost = framework != nullptr && (framework->cpu_only || framework->package == "onnxruntime");
    const std::string from =
        framework == nullptr ? "" : "the files are from " + framework->package + " " + framework->version;
    report::Finding& finding = ruling.Fire(InWords(environment, packages) + (from.empty() ? "" : "; " + from),
                                           framework == nullptr ? packages[1]->record : framework->directory,
                                           {environment.prefix, packages[0]->record, packages[1]->record});
    if (!lost) finding.severity = report::Severity::kWarning;
    if (framework != nullptr) {
      finding.affects.push_back(TitleOf(environment, *framework));
      finding.evidence.push_back({from + (lost ? ", without CUDA" : ""), framework->source});
    }
    AddEvidence(packages, finding);
    // The installed GPU release; if there is none, the newest that matches.
    Wanted one{"onnxruntime-gpu", ""};
    if (const auto* gpu = environment.Find(one.package)) {
      one.version = gpu->version;
    } else if (const auto fitting = FindFittingBuild(scene, environment, "onnxruntime")) {
      one.version = fitting->build.wanted.version;
    }
    finding.fix = KeepOnly(
        scene, environment, packages, one,
        "uninstall all of them, then install only onnxruntime-gpu; uninstalling just one removes files "
        "of the other");
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

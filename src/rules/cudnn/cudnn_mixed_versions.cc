// CUL3004: one process loads cuDNN sub-libraries of different versions.
#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "base/version.h"
#include "knowledge/cudnn.h"
#include "rules/kit/cudnn/cudnn_facts.h"
#include "rules/kit/cudnn/cudnn_fixes.h"
#include "rules/kit/file_fixes.h"
#include "rules/kit/load_facts.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/loading/forced_copy.h"
#include "rules/kit/loading/function_misses.h"
#include "rules/kit/python/package_facts.h"
#include "rules/rule.h"

namespace culprit::rules::cudnn_mixed_versions {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The shim libcudnn and the sub-libraries that it opens (graph, ops, cnn, adv, engines) come from two releases of cuDNN.

## Why it breaks
The sub-libraries call each other through private interfaces that change with every release, and check each other's
version: CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH, `undefined symbol ... version libcudnn_ops_infer.so.8`, "compiled
against (9, 19, 0) but found runtime version (9, 14, 0)", or a crash at the first convolution.

## How culprit knows
It simulates the program's load with a model of the dynamic loader, follows the shim's dlopen calls, and reads the exported
version of each sub-library found.

## Fix
Let all sub-libraries come from one directory. Usually LD_LIBRARY_PATH is to blame: up to 9.21.0 the wheel's shim has a
RUNPATH, and LD_LIBRARY_PATH is searched before a RUNPATH. Unset it, or remove the directory from it.

## When this is not your problem
Two copies of cuDNN on one machine are normal. This rule reports only copies that are loaded into one process. An older
bundled shim (ctranslate2) works with newer sub-libraries, as long as those have the same version.

## Sources
ld.so(8); the loader's own trace (LD_DEBUG=libs) of PyTorch 2.11 with cuDNN 9.19.0 beside it and 9.14.0 in the system.
)md";

// Replaces older sub-libraries with the bundled shim's release.
report::Fix RaiseParts(const Scene& scene, const loader::Scenario& scenario, const LoadedCudnn& shim,
                       const std::string& part) {
  const std::string version = shim.version->ToString();
  CudnnChoice choice{.version = version, .build = "", .cuda = "", .newest = false};
  for (const auto& release : knowledge::CudnnReleases()) {
    if (release.version == version) choice.build = release.build;
  }
  const snapshot::CudnnCopy* copy = CopyOf(scene, part);
  if (copy != nullptr) choice.cuda = MajorOf(copy->cuda);
  const snapshot::PythonEnvironment* environment = scene.EnvironmentOf(scenario);
  const bool of_pip = copy != nullptr && copy->owner.manager == snapshot::PackageManager::kPip;
  if (environment != nullptr && of_pip && !choice.build.empty()) {
    return ReinstallPackage(*environment, copy->owner.package, choice.build,
                            "install the cuDNN release that matches this package's libcudnn");
  }
  return InstallForAll(scene, choice, std::string(base::DirName(PlaceOf(scene, part))));
}

void CheckProcess(const Scene& scene, const loader::Scenario& scenario, Ruling& ruling) {
  if (scene.OnWindows() && std::ranges::any_of(FunctionMisses(scenario), &FunctionMiss::cudnn))
    return;  // CUL3015
  std::vector<LoadedCudnn> loaded = CudnnOf(scene, scenario);
  std::erase_if(loaded, [](const LoadedCudnn& one) { return !one.version; });
  // A bundled shim does not check versions and works with newer sub-libraries of the same major; the
  // sub-libraries must agree with each other.
  if (loaded.size() > 1 && loaded.front().IsBundledShim() && *loaded.front().version < *loaded[1].version) {
    loaded.erase(loaded.begin());
  }
  std::vector<const LoadedCudnn*> odd;
  for (const LoadedCudnn& one : loaded) {
    const base::Version& expected = *loaded.front().version;
    if (one.version->part(0) == expected.part(0) && *one.version != expected) odd.push_back(&one);
  }
  if (odd.empty()) return;
  const loader::Object& first = *loaded.front().object;
  const loader::Object& offender = *odd.front()->object;
  const std::string directory(base::DirName(offender.path));
  report::Finding& finding = ruling.Fire(
      std::string(base::BaseName(offender.path)) + " resolves to " + odd.front()->version->ToString() +
          " in " + directory + ", " + std::string(base::BaseName(first.path)) + " is " +
          loaded.front().version->ToString() + " in " + std::string(base::DirName(first.path)),
      offender.path, {first.path});
  finding.affects.push_back(scenario.title);
  const auto add = [&](const LoadedCudnn& one) {
    finding.evidence.push_back({one.object->path + " is " + one.version->ToString() + ", found through " +
                                    CameThrough(scenario, *one.object),
                                one.source});
  };
  add(loaded.front());
  for (const LoadedCudnn* one : odd) add(*one);
  const auto by_variable = std::ranges::find_if(
      odd, [&](const LoadedCudnn* one) { return ForcedByVariable(scene, scenario, *one->object); });
  if (loaded.front().IsBundledShim()) {
    finding.fix = RaiseParts(scene, scenario, loaded.front(), offender.path);
  } else if (by_variable != odd.end()) {
    const loader::Object& forced = *(*by_variable)->object;
    if (forced.via == loader::Via::kLdLibraryPath) {
      finding.evidence.push_back({"LD_LIBRARY_PATH=" + std::string(scene.Variable("LD_LIBRARY_PATH")) +
                                      " is searched before the RUNPATH of " + first.path,
                                  "environment"});
    }
    finding.fix = WithoutVariable(scene, forced);
  } else if (ForcedByVariable(scene, scenario, first)) {
    finding.fix = WithoutVariable(scene, first);
  } else {
    finding.fix = ReinstallCudnn(scene, scenario, first.path);
    finding.fix.text =
        "take all cuDNN sub-libraries from one directory, that of " + first.path + ": " + finding.fix.text;
  }
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const loader::Scenario& scenario : scene.scenarios) CheckProcess(scene, scenario, ruling);
}

}  // namespace

extern const Rule kRule = {.code = "CUL3004",
                           .name = "cudnn_mixed_versions",
                           .family = Family::kCudnn,
                           .cause = "cudnn-mixed-versions",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "one process loads cuDNN sub-libraries of different versions",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cudnn_mixed_versions

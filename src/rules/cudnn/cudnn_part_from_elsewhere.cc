// CUL3011: a cuDNN sub-library comes from another copy of the same version.
#include "base/text.h"
#include "rules/kit/cudnn/cudnn_facts.h"
#include "rules/kit/cudnn/cudnn_fixes.h"
#include "rules/kit/load_facts.h"
#include "rules/rule.h"

namespace culprit::rules::cudnn_part_from_elsewhere {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
All cuDNN libraries that a process loads have the same version, but they come from several directories: a sub-library that is
missing next to the shim was found in another copy.

## Why it breaks
It works by luck. The next upgrade of one copy mixes versions, and that fails.

## How culprit knows
From the directories and versions of the sub-libraries that the simulated load finds.
## Fix
Complete the copy that the program bundles.

## When this is not your problem
Two names of one directory count as one. A package that bundles only the shim (ctranslate2) takes all sub-libraries from
elsewhere by design.

## Sources
Traces of the loader with single sub-libraries removed (cuDNN 9.19).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const loader::Scenario& scenario : scene.scenarios) {
    if (!OneCudnnOf(scene, scenario)) continue;  // none, or mixed: CUL3004
    auto loaded = CudnnOf(scene, scenario);
    // auditwheel bundles only the shim (libcudnn-0a1b2c3d.so.9.1.0): sub-libraries come from elsewhere by
    // design.
    if (loaded.size() > 1 && loaded.front().IsBundledShim()) loaded.erase(loaded.begin());
    const auto directory = [&](const LoadedCudnn& one) {
      return std::string(base::DirName(one.object->real_path));
    };
    for (const LoadedCudnn& one : loaded) {
      if (directory(one) == directory(loaded.front()) || !one.version || !loaded.front().version) continue;
      // A Windows wheel that bundles only the shim (ctranslate2) takes the sub-libraries from PATH by design.
      const std::string beside = base::JoinPath(directory(loaded.front()), base::BaseName(one.object->path));
      if (scene.OnWindows() && *one.version == *loaded.front().version &&
          scene.view.Open(beside).error == base::PathError::kNoEntry) {
        continue;
      }
      report::Finding& finding = ruling.Fire(
          std::string(base::BaseName(one.object->path)) + " comes from " + directory(one) + ", " +
              std::string(base::BaseName(loaded.front().object->path)) + " from " + directory(loaded.front()),
          one.object->path, {loaded.front().object->path});
      finding.affects.push_back(scenario.title);
      finding.evidence.push_back({one.object->path + " is " + one.version->ToString() + ", found through " +
                                      CameThrough(scenario, *one.object),
                                  one.source});
      finding.evidence.push_back(
          {loaded.front().object->path + " is " + loaded.front().version->ToString(), loaded.front().source});
      finding.fix = one.object->via == loader::Via::kLdLibraryPath
                        ? WithoutSearchDirectory(scene, std::string(base::DirName(one.object->path)))
                        : ReinstallCudnn(scene, scenario, loaded.front().object->path);
      break;
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL3011",
                           .name = "cudnn_part_from_elsewhere",
                           .family = Family::kCudnn,
                           .cause = "cudnn-mixed-versions",
                           .severity = report::Severity::kWarning,
                           .since = "0.2.0",
                           .title = "a cuDNN sub-library comes from another copy of the same version",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cudnn_part_from_elsewhere

// CUL3002: only another major version of cuDNN is installed.
#include <algorithm>

#include "base/text.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/kit/search_fixes.h"
#include "rules/rule.h"

namespace culprit::rules::cudnn_other_major {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The program was built for one major version of cuDNN (8, say) and the machine has another (9).

## Why it breaks
The major version is part of the file name, so the loader does not take one for the other. That is right: functions
were removed and structures changed between 7, 8 and 9. The move from 8 to 9 in 2024 is behind most of these cases.

## How culprit knows
The required name contains the major version. The copies on disk have theirs in the file name and in the exported version.

## Fix
Install a build of the program for the installed cuDNN, or install the other major version too: two majors can coexist (but
not as wheels in one environment). cuDNN 9 came with torch 2.4, onnxruntime-gpu 1.19 (1.18.1 in its build for CUDA 12),
ctranslate2 4.5. Do not symlink libcudnn.so.8 to libcudnn.so.9.

## When this is not your problem
Another program on the machine uses the other major: leave that one alone.

## Sources
Release notes of cuDNN 9.0; release notes of the frameworks named.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (!failed.IsCudnnShim() || failed.why != Why::kOtherMajor) continue;
    const std::string& there = failed.copies.front().path;
    const auto version = scene.view.Version(there);
    report::Finding& finding =
        Fire(ruling, failed,
             failed.request->name + " is required, this machine has " +
                 (version ? "cuDNN " + version->version : std::string(base::BaseName(there))) + " in " +
                 std::string(base::DirName(there)),
             failed.request->name, {there});
    AddCopies(scene, failed, " is another major version", finding);
    finding.fix = Install(scene, failed);
    const bool into = std::ranges::any_of(finding.fix.changes, [](const report::Change& change) {
      return change.As<report::InstallPackage>() != nullptr;
    });
    const auto* framework = scene.FrameworkOf(*failed.scenario);
    if (framework != nullptr && into) {
      finding.fix.text += "; " + framework->name + " " + framework->version + " was built for it";
    } else {
      finding.fix.text += "; both can coexist. Or install a build of the program for the installed cuDNN";
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL3002",
                           .name = "cudnn_other_major",
                           .family = Family::kCudnn,
                           .cause = "cudnn-version-mismatch",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "only another major version of cuDNN is installed",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cudnn_other_major

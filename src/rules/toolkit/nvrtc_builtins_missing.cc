// CUL4011: NVRTC does not find its builtins.
#include "base/text.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/kit/search_fixes.h"
#include "rules/rule.h"

namespace culprit::rules::nvrtc_builtins_missing {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
NVRTC, the compiler that programs use at run time, opens libnvrtc-builtins of exactly its own release, and does not
find it.

## Why it breaks
"nvrtc: error: failed to open libnvrtc-builtins.so.12.4. Make sure that libnvrtc-builtins.so.12.4 is installed
correctly", at the first kernel that is compiled at run time (fused kernels, CuPy, some cuDNN engines).

## How culprit knows
libnvrtc has no run path of its own, so the file beside it is found only if its directory is searched or the file was
loaded before. The search is played.

## Fix
Install NVRTC and its builtins together, from one release and in one searched directory.

## When this is not your problem
Programs that load the builtins by path before (torch does) do not fail. Where the file lies beside NVRTC this is a
note: it depends on whether the program does so.

## Sources
The text inside libnvrtc.so; the trace of the loader with CUDA 13.0.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (failed.library == nullptr || failed.library->name != "nvrtc-builtins") continue;
    if (failed.why != Why::kNowhere && failed.why != Why::kElsewhere && failed.why != Why::kOtherMajor)
      continue;
    report::Finding& finding =
        Fire(ruling, failed, failed.request->name + " is not found by " + failed.asker, failed.asker);
    // Beside NVRTC it serves whoever loads it by path first; whether this process does is not known.
    const std::string beside =
        base::JoinPath(base::DirName(scene.view.RealPath(failed.asker)), failed.request->name);
    if (scene.view.Open(beside).error == base::PathError::kNone) finding.severity = report::Severity::kNote;
    for (const loader::LibraryCopy& copy : failed.copies) {
      finding.evidence.push_back({copy.path + " is there, and not looked for", copy.path});
    }
    finding.fix = failed.why == Why::kElsewhere
                      ? SearchToo(scene, failed, std::string(base::DirName(failed.copies.front().path)))
                      : Install(scene, failed);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL4011",
                           .name = "nvrtc_builtins_missing",
                           .cause = "cuda-library-missing",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "NVRTC does not find its builtins",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::nvrtc_builtins_missing

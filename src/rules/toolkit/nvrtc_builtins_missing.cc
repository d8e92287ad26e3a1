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
NVRTC, the runtime compiler, needs libnvrtc-builtins of exactly its own release and does not find it.

## Why it breaks
"nvrtc: error: failed to open libnvrtc-builtins.so.12.4. Make sure that libnvrtc-builtins.so.12.4 is installed
correctly", at the first runtime-compiled kernel (fused kernels, CuPy, some cuDNN engines).

## How culprit knows
libnvrtc has no RUNPATH, so it finds the file next to it only if that directory is on the search path or the file is already
loaded. The loader model simulates the search.

## Fix
Install NVRTC and its builtins together, from one release and in one directory on the search path.

## When this is not your problem
Programs that first load the builtins by path (torch does) do not fail. If the file is next to NVRTC, this is only a note: it
depends on whether the program does so.

## Sources
The text inside libnvrtc.so; the trace of the loader with CUDA 13.0.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (failed.library == nullptr || failed.library->name != "nvrtc-builtins") continue;
    if (failed.why != Why::kNowhere && failed.why != Why::kElsewhere && failed.why != Why::kOtherMajor)
      continue;
    report::Finding& finding = Fire(ruling, failed, failed.asker + " does not find " + failed.request->name,
                                    failed.asker, {failed.request->name});
    // Next to NVRTC, under its name or that of auditwheel, it works for programs that first load it by path;
    // whether this one does, or compiles at all, is unknown.
    const std::string own(base::DirName(scene.view.RealPath(failed.asker)));
    if (!loader::FindCopies({own}, scene.view, failed.request->name).empty())
      finding.severity = report::Severity::kNote;
    for (const loader::LibraryCopy& copy : failed.copies) {
      finding.evidence.push_back({copy.path + " exists, but not on the search path", copy.path});
    }
    finding.fix = failed.why == Why::kElsewhere
                      ? SearchToo(scene, failed, std::string(base::DirName(failed.copies.front().path)))
                      : Install(scene, failed);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL4011",
                           .name = "nvrtc_builtins_missing",
                           .family = Family::kToolkit,
                           .explains = Explains::kNvrtc | Explains::kCudaFiles | Explains::kFramework,
                           .cause = "cuda-library-missing",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "NVRTC does not find its builtins",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::nvrtc_builtins_missing

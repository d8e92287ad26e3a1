// CUL5017: a system library that CUDA needs is missing.
#include "base/text.h"
#include "rules/kit/file_fixes.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/kit/python/package_of_file.h"
#include "rules/kit/search_fixes.h"
#include "rules/rule.h"

namespace culprit::rules::dependent_missing {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A CUDA or cuDNN library is installed, but a system library that it needs is not: zlib for cuDNN 9, libibverbs for
cuFile.
## Why it breaks
The message names the missing file or, in some frameworks, only the CUDA library that failed to load because of it. This
is most common in small container images.

## How culprit knows
culprit simulates how the loader resolves the dependencies of each file.

## Fix
Install the system package that provides it.

## When this is not your problem
Static builds of the library do not need it.

## Sources
DT_NEEDED of the files of cuDNN 9 (libz.so.1) and of libcufile_rdma.so.1 in nvidia-cufile 1.15 to 1.19 (libibverbs.so.1).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (failed.library != nullptr || knowledge::FindLibrary(base::BaseName(failed.asker)) == nullptr)
      continue;
    if (failed.why != Why::kNowhere && failed.why != Why::kElsewhere) continue;
    if (failed.EndsImport() || failed.redistributable != nullptr) continue;  // CUL6002, CUL5021, CUL5022
    report::Finding& finding =
        Fire(ruling, failed, failed.request->name + ", which " + failed.asker + " needs, is not found",
             failed.asker, {failed.request->name});
    for (const loader::LibraryCopy& copy : failed.copies) {
      finding.evidence.push_back({copy.path + " exists but is not searched", copy.path});
    }
    if (!failed.copies.empty()) {
      finding.fix = SearchToo(scene, failed, std::string(base::DirName(failed.copies.front().path)));
      continue;
    }
    finding.fix = Install(scene, failed);
    finding.fix.text = "install the system package that provides " + failed.request->name;
    finding.fix.commands.clear();
    finding.fix.risk = report::Risk::kLow;
    if (Command command = InstallOfSystem(scene, failed.request->name); !command.empty())
      finding.fix.commands = {std::move(command)};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5017",
                           .name = "dependent_missing",
                           .family = Family::kLoading,
                           .cause = "dependent-missing",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "a system library that CUDA needs is missing",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::dependent_missing

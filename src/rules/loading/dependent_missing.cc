// CUL5017: a library that CUDA itself needs is missing.
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
A library of CUDA or cuDNN is there, and something of the system that it needs in turn is not: zlib, libgomp, libnuma.

## Why it breaks
The message names the missing file or, in some frameworks, only the CUDA library that could not be loaded because of
it. Small container images are the usual place.

## How culprit knows
The dependencies of each file are played through a model of the loader.

## Fix
Install the package of the system that brings it.

## When this is not your problem
Static builds of the library do not ask.

## Sources
DT_NEEDED of the files of cuDNN 9 (libz.so.1) and NCCL.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (failed.library != nullptr || knowledge::FindLibrary(base::BaseName(failed.asker)) == nullptr)
      continue;
    if (failed.why != Why::kNowhere && failed.why != Why::kElsewhere) continue;
    if (failed.EndsImport() || failed.redistributable != nullptr) continue;  // CUL6002, CUL5021, CUL5022
    report::Finding& finding =
        Fire(ruling, failed, failed.request->name + ", which " + failed.asker + " needs, is not found",
             failed.asker);
    for (const loader::LibraryCopy& copy : failed.copies) {
      finding.evidence.push_back({copy.path + " is there, and not looked for", copy.path});
    }
    if (!failed.copies.empty()) {
      finding.fix = SearchToo(scene, failed, std::string(base::DirName(failed.copies.front().path)));
      continue;
    }
    finding.fix = Install(scene, failed);
    finding.fix.text = "install the package of the system that brings " + failed.request->name;
    finding.fix.commands.clear();
    finding.fix.risk = "low";
    if (std::string command = InstallOfSystem(scene, failed.request->name); !command.empty())
      finding.fix.commands = {std::move(command)};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5017",
                           .name = "dependent_missing",
                           .cause = "dependent-missing",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "a library that CUDA itself needs is missing",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::dependent_missing

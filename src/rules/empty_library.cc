// CUL5005: a library is an empty file.
#include "rules/failed_loads.h"
#include "rules/rule.h"
#include "rules/table.h"

namespace culprit::rules {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A file of zero bytes stands under the name of a library: the rest of an interrupted installation, or a placeholder that
a container build left behind.

## Why it breaks
The loader does not pass over it: the load ends with "file too short", though a good copy may follow further down.

## How culprit knows
The file was met while the load was played; its size is 0.

## Fix
Remove the file or install its package again.

## When this is not your problem
An empty libcuda.so.1 in a container is a matter of the container runtime and has its own code.

## Sources
ld.so(8) and the source of glibc (elf/dl-load.c).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (failed.why != Why::kEmptyFile) continue;
    report::Finding& finding =
        Fire(ruling, failed,
             failed.file + " is an empty file, and the search for " + failed.request->name + " ends there",
             failed.file);
    finding.evidence.push_back({failed.file + " has 0 bytes", failed.file});
    finding.fix = {.text = "remove the empty file, or install its package again",
                   .commands = {"ls -l " + failed.file, "sudo rm " + failed.file},
                   .risk = "low"};
  }
}

}  // namespace

const Rule kEmptyLibrary = {.code = "CUL5005",
                            .name = "empty_library",
                            .cause = "corrupt-library",
                            .severity = report::Severity::kError,
                            .since = "0.2.0",
                            .title = "a library is an empty file",
                            .page = kPage,
                            .check = Check};

}  // namespace culprit::rules

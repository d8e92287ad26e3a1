// CUL5008: a library is built for another CPU.
#include "binfmt/elf/elf.h"
#include "rules/kit/binary_facts.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/rule.h"

namespace culprit::rules::wrong_cpu {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The loader found a library of the right name that is built for another CPU (x86-64 on an Arm machine, for example).

## Why it breaks
The loader skips the file silently and finally reports "cannot open shared object file: No such file or directory",
although the file is there.

## How culprit knows
culprit compares the machine in the file's header with that of the loader.

## Fix
Install the package for this CPU; a container image must match the machine's platform.

## When this is not your problem
Cross-compilers keep libraries for other CPUs in their own directories, which are not searched.

## Sources
ld.so(8) and the source of glibc (elf/dl-load.c).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (failed.why != Why::kWrongCpu) continue;
    report::Finding& finding = Fire(ruling, failed,
                                    failed.file + " is built for " + MachineOf(scene.view.Open(failed.file)) +
                                        ", the program for another CPU",
                                    failed.file);
    finding.evidence.push_back(
        {"machine of " + failed.file + " is " + MachineOf(scene.view.Open(failed.file)), failed.file});
    finding.fix = InstallInstead(scene, failed);
    const std::string own = MachineOf(scene.view.Open(failed.asker));
    finding.fix.text =
        "the program needs a library for " + (own.empty() ? "its own CPU" : own) + ": " + finding.fix.text;
    finding.fix.commands.push_back("culprit inspect " + Word(failed.file));
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5008",
                           .name = "wrong_cpu",
                           .family = Family::kLoading,
                           .cause = "bitness-mismatch",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "a library is built for another CPU",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::wrong_cpu

// CUL9010: a library crashes.
#include <algorithm>
#include <map>

#include "base/text.h"
#include "rules/kit/changes.h"
#include "rules/kit/live/probe_facts.h"
#include "rules/kit/live/probe_failures.h"
#include "rules/rule.h"

namespace culprit::rules::library_crashes {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The child process that ran a step was killed by a signal inside a library.

## Why it breaks
If a library is complete and of one version, a crash usually means that its version does not match the driver, the CPU
or other libraries in the process, or that this version has a bug.

## How culprit knows
culprit-probe's signal handler reports the file in which it happened; the other steps continue in a new child.

## Fix
Use another version of that library; the file and its version are named.

## When this is not your problem
SIGKILL from the out-of-memory killer is not a crash of the library.

## Sources
signal(7); the list of loaded files of the process.
)md";

std::string VersionOf(const snapshot::ProbeFacts& facts, const snapshot::ProbeStep& step) {
  for (const auto& library : LoadedUntil(facts, step)) {
    if (library.path == step.library) return library.version;
  }
  return "";
}

// A library does not do this to itself: something killed the process, usually the kernel when memory runs
// out.
report::Finding DescribeKill(const snapshot::ProbeStep& step) {
  report::Finding finding;
  finding.cause = "out-of-memory";
  finding.summary = "the process was killed (SIGKILL) at " + TitleOf(step) +
                    ": usually the kernel does this when the machine or container runs out of memory";
  finding.fix = {
      .text =
          "give the machine or container more memory (CUDA libraries use gigabytes of host memory), and "
          "check whether it was the kernel",
      .commands = {"sudo dmesg | grep -i -E 'oom|killed process' | tail",
                   "cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory.events"},
      .risk = report::Risk::kNone,
      .changes = ANewProbeTells("there is enough host memory")};
  return finding;
}

report::Finding Describe(const Scene& scene, const snapshot::ProbeStep& step) {
  if (step.status.text() == "SIGKILL") return DescribeKill(step);
  const std::string version = VersionOf(*scene.stack().probe, step);
  const std::string file(step.library.empty() ? "an unknown library" : base::BaseName(step.library));
  report::Finding finding;
  finding.summary = file + (version.empty() ? "" : " " + version) + " crashes with " +
                    (step.status.empty() ? "a signal" : step.status.text()) + " at " + TitleOf(step);
  finding.fix = {
      .text =
          std::string("reinstall this library or use another version; check whether ") +
          (scene.OnWindows() ? "an overlay or security tool injects its DLL into every process"
                             : "anything is preloaded into every process (LD_PRELOAD, /etc/ld.so.preload)"),
      .commands = {step.library.empty() ? "culprit check" : "culprit why --for " + Word(step.library)},
      .risk = report::Risk::kLow,
      .changes = ANewProbeTells(file + " does not crash")};
  return finding;
}

void Check(const Scene& scene, Ruling& ruling) {
  if (Probed(scene, ruling) == nullptr) return;
  // One library that crashes at several steps is one finding.
  std::map<std::string, report::Finding> by_library;
  std::vector<std::string> order;
  for (const ProbeFailure* failure : FailuresOf(scene, Trouble::kCrash)) {
    const snapshot::ProbeStep& step = *failure->step;
    const std::string subject = !step.library.empty() ? step.library : SubjectOf(step);
    if (!by_library.contains(subject)) {
      order.push_back(subject);
      by_library[subject] = Describe(scene, step);
    }
    report::Finding& finding = by_library[subject];
    if (std::ranges::find(finding.affects, step.job.text()) == finding.affects.end())
      finding.affects.push_back(step.job.text());
    finding.evidence.push_back(EvidenceOf(step));
    AddOutput(step, finding);
  }
  for (const std::string& subject : order) {
    const report::Finding& from = by_library[subject];
    report::Finding& finding = ruling.Fire(from.summary, subject);
    if (!from.cause.empty()) finding.cause = from.cause;
    finding.affects = from.affects;
    finding.evidence = from.evidence;
    finding.fix = from.fix;
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL9010",
                           .name = "library_crashes",
                           .family = Family::kLive,
                           .cause = "library-bug",
                           .severity = report::Severity::kError,
                           .since = "0.5.0",
                           .title = "a library crashes when it is used",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::library_crashes

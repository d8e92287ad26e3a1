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
The child that did a step died by a signal while it was in a library.

## Why it breaks
A crash in a library that is whole and of one version is mostly a version that does not fit driver, CPU or other libraries in
the process, or a bug of that version.

## How culprit knows
culprit-probe's signal handler tells the file in which it happened before it ends; the other steps go on in a new child.

## Fix
Another version of that library; the file and its version are named.

## When this is not your problem
SIGKILL by the machine's own out-of-memory killer is not a crash of the library.

## Sources
signal(7); the list of loaded files of the process.
)md";

std::string VersionOf(const snapshot::ProbeFacts& facts, const snapshot::ProbeStep& step) {
  for (const auto& library : LoadedUntil(facts, step)) {
    if (library.path == step.library) return library.version;
  }
  return "";
}

// No library does this to itself: somebody ended the process, and that is the kernel when memory runs out.
report::Finding DescribeKill(const snapshot::ProbeStep& step) {
  report::Finding finding;
  finding.cause = "out-of-memory";
  finding.summary = "the process was killed (SIGKILL) at " + (step.title.empty() ? step.name : step.title) +
                    ": the usual one is the kernel when the machine or the container runs out of memory";
  finding.fix = {
      .text =
          "give the machine or the container more memory (CUDA libraries take gigabytes of the host's), "
          "and see whether it was the kernel",
      .commands = {"sudo dmesg | grep -i -E 'oom|killed process' | tail",
                   "cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory.events"},
      .risk = "none",
      .changes = ANewProbeTells("the host's memory suffices")};
  return finding;
}

report::Finding Describe(const Scene& scene, const snapshot::ProbeStep& step) {
  if (step.status == "SIGKILL") return DescribeKill(step);
  const std::string version = VersionOf(*scene.stack().probe, step);
  const std::string file(step.library.empty() ? "a library that is not known" : base::BaseName(step.library));
  report::Finding finding;
  finding.summary = file + (version.empty() ? "" : " " + version) + " crashes with " +
                    (step.status.empty() ? "a signal" : step.status) + " at " +
                    (step.title.empty() ? step.name : step.title);
  finding.fix = {.text = std::string("install this library again or in another version; look whether ") +
                         (scene.OnWindows()
                              ? "an overlay or a guard puts its own DLL into every process"
                              : "anything is preloaded into every process (LD_PRELOAD, /etc/ld.so.preload)"),
                 .commands = {step.library.empty() ? "culprit check" : "culprit why --for " + step.library},
                 .risk = "low",
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
    const std::string subject = !step.library.empty()  ? step.library
                                : step.subject.empty() ? step.job
                                                       : step.subject;
    if (!by_library.contains(subject)) {
      order.push_back(subject);
      by_library[subject] = Describe(scene, step);
    }
    report::Finding& finding = by_library[subject];
    if (std::ranges::find(finding.affects, step.job) == finding.affects.end())
      finding.affects.push_back(step.job);
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
                           .cause = "library-bug",
                           .severity = report::Severity::kError,
                           .since = "0.5.0",
                           .title = "a library crashes when it is used",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::library_crashes

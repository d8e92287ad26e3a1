// CUL3009: a link of cuDNN leads nowhere or in circles.
#include <set>

#include "base/text.h"
#include "rules/kit/cudnn/cudnn_facts.h"
#include "rules/kit/file_fixes.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/rule.h"

namespace culprit::rules::cudnn_link_broken {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The name by which cuDNN is asked for is a symbolic link whose target is gone, or that leads back to itself; or the
link was never made, and only the file with the full number is there.

## Why it breaks
The loader passes over such a link as if nothing were there and takes another copy further down the search, or none.
Typical after an upgrade that removed the numbered files, after copying a tree without its links, and after
"repairing" links by hand.

## How culprit knows
The link was read; nothing lies at its target. Where a program meets it on the way this is an error, otherwise a note.

## Fix
Set the link to the file of the same release where that stands beside it, as ldconfig does; otherwise let the package
manager bring both again. Do not set a link by hand to a file of another release.

## When this is not your problem
A dangling libcudnn.so without a number concerns builds alone.

## Sources
ldconfig(8); the outcomes of open(2) in the loader.
)md";

bool IsBroken(const snapshot::CudnnPart& part) {
  return part.problem.starts_with("leads nowhere") || part.problem.starts_with("a loop");
}

// The library that the link is meant for, of the release that its neighbours have; or the package again.
report::Fix Repair(const Scene& scene, const snapshot::CudnnCopy* copy, const std::string& link) {
  const std::string version = copy == nullptr ? "" : copy->version;
  if (!LinkTarget(scene, link, version).empty()) return RepairLink(scene, link, version);
  const auto words = base::SplitWords(copy == nullptr ? "" : copy->owner, " ");
  if (words.size() >= 2 && words[0] == "dpkg") {
    return {.text = "install the package again: it brings file and link",
            .commands = {"sudo apt-get install --reinstall " + words[1], "sudo ldconfig"},
            .risk = "low",
            .changes = {report::InstallCudnn{version, copy->cuda, copy->directory}, report::RefreshCache{}}};
  }
  return RepairLink(scene, link, version);
}

void Check(const Scene& scene, Ruling& ruling) {
  std::set<std::string> met;
  for (const FailedLoad& failed : FailedLoads(scene)) {
    const bool missing = failed.why == Why::kLinkMissing;
    if (!failed.IsCudnn() || (failed.why != Why::kDanglingLink && failed.why != Why::kLinkLoop && !missing))
      continue;
    met.insert(failed.file);
    report::Finding& finding =
        Fire(ruling, failed,
             failed.file + (missing ? " is missing: the file stands there under its number alone"
                            : failed.why == Why::kLinkLoop ? " is a link in a circle"
                                                           : " is a link that leads nowhere"),
             failed.file);
    finding.fix = Repair(scene, CopyOf(scene, failed.file), failed.file);
  }
  if (!scene.stack().cudnn) return;
  for (const snapshot::CudnnCopy& copy : *scene.stack().cudnn) {
    for (const snapshot::CudnnPart& part : copy.parts) {
      if (!IsBroken(part) || met.contains(part.path)) continue;
      report::Finding& finding = ruling.Fire(part.path + ": " + part.problem, part.path);
      finding.severity = report::Severity::kNote;
      finding.evidence.push_back({part.path + " " + part.problem, part.path});
      finding.fix = Repair(scene, &copy, part.path);
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL3009",
                           .name = "cudnn_link_broken",
                           .cause = "broken-symlink",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "a link of cuDNN leads nowhere or in circles",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cudnn_link_broken

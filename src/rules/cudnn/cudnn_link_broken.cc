// CUL3009: a cuDNN symlink is dangling, missing or a loop.
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
The name by which programs load cuDNN is a dangling symlink or a symlink loop; or the symlink was never created, and only
the file with the full version exists.

## Why it breaks
The loader skips such a symlink and takes another copy later on the search path, or finds none. This is typical after an
upgrade that removed the numbered files, after copying a tree without its symlinks, and after "repairing" symlinks by hand.

## How culprit knows
culprit reads the symlink; its target does not exist. If a program's search runs into it, this is an error, otherwise a note.

## Fix
If the file of the same release is next to it, point the symlink there, as ldconfig does. Otherwise let the package manager
reinstall both. Do not point a symlink by hand to a file of another release.

## When this is not your problem
A dangling libcudnn.so without a version affects only builds.

## Sources
ldconfig(8); the outcomes of open(2) in the loader.
)md";

bool IsBroken(const snapshot::CudnnPart& part) {
  return part.problem.kind == snapshot::PartProblem::Kind::kDangling ||
         part.problem.kind == snapshot::PartProblem::Kind::kLinkLoop;
}

// Points the symlink to its library of the neighbours' release, or reinstalls the package.
report::Fix Repair(const Scene& scene, const snapshot::CudnnCopy* copy, const std::string& link) {
  const std::string version = copy == nullptr ? "" : copy->version;
  if (!LinkTarget(scene, link, version).empty()) return RepairLink(scene, link, version);
  if (copy != nullptr && copy->owner.manager == snapshot::PackageManager::kDpkg) {
    return {.text = "reinstall the package: it provides file and symlink",
            .commands = {"sudo apt-get install --reinstall " + Plain(copy->owner.package), "sudo ldconfig"},
            .risk = report::Risk::kLow,
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
             failed.file + (missing ? " is missing: the file exists only under its full version"
                            : failed.why == Why::kLinkLoop ? " is a symlink loop"
                                                           : " is a dangling symlink"),
             failed.file);
    if (missing) finding.evidence.push_back(WithoutLink(scene, failed.file));
    finding.fix = Repair(scene, CopyOf(scene, failed.file), failed.file);
  }
  if (!scene.stack().cudnn) return;
  for (const snapshot::CudnnCopy& copy : *scene.stack().cudnn) {
    for (const snapshot::CudnnPart& part : copy.parts) {
      if (!IsBroken(part) || met.contains(part.path)) continue;
      const bool loop = part.problem.kind == snapshot::PartProblem::Kind::kLinkLoop;
      const std::string words = part.path +
                                (loop ? " is a symlink loop through " : " is a dangling symlink to ") +
                                part.problem.detail;
      report::Finding& finding = ruling.Fire(words, part.path);
      finding.severity = report::Severity::kNote;
      finding.evidence.push_back({words, part.path});
      finding.fix = Repair(scene, &copy, part.path);
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL3009",
                           .name = "cudnn_link_broken",
                           .family = Family::kCudnn,
                           .cause = "broken-symlink",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "a cuDNN symlink is dangling, missing or a loop",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cudnn_link_broken

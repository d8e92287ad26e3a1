// CUL3010: two different files of cuDNN stand under one soname.
#include "base/text.h"
#include "rules/kit/file_fixes.h"
#include "rules/rule.h"

namespace culprit::rules::cudnn_file_instead_of_link {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
libcudnn_x.so.9 should be a link to the numbered file beside it. Here both are files, and they differ.

## Why it breaks
cuDNN 9 asks for the longest name first, the loader for the short one: shim and parts come from two releases. It
happens when files are copied over an installation with links followed.

## How culprit knows
Both names were looked at: neither is a link, and versions or sizes differ.

## Fix
Remove the files that were copied in and install the package again.

## When this is not your problem
Wheels carry only the short names, all as files: that is as it should be.

## Sources
Trace of the names that cuDNN 9.19 opens; ldconfig(8).
)md";

// The release of the other parts stays: its file under the number gets the name back, or goes if it is the
// odd one.
report::Fix Repair(const Scene& scene, const snapshot::CudnnCopy& copy, const snapshot::CudnnPart& part) {
  const std::string target = LinkTarget(scene, part.path, copy.version);
  if (!target.empty()) {
    report::Fix fix = SetLink(scene, part.path, target);
    fix.text = "put a link to " + target + " in its place, which is of the release of the other parts";
    return fix;
  }
  const std::string odd = LinkTarget(scene, part.path);
  const std::string place = base::JoinPath(base::DirName(PlaceOf(scene, part.path)), odd);
  return {.text = "remove " + odd + ", which is of another release than the other parts",
          .commands = {Sudo(scene, place) + "rm " + place},
          .risk = "low",
          .changes = {report::RemoveFile{place}}};
}

void Check(const Scene& scene, Ruling& ruling) {
  if (!scene.stack().cudnn) return;
  for (const snapshot::CudnnCopy& copy : *scene.stack().cudnn) {
    for (const snapshot::CudnnPart& part : copy.parts) {
      if (!part.problem.starts_with("not a link")) continue;
      report::Finding& finding = ruling.Fire(
          part.path + (part.version.empty() ? "" : " (" + part.version + ")") + " is " + part.problem,
          part.path);
      finding.evidence.push_back({part.path + " is " + part.problem, part.path});
      finding.fix = Repair(scene, copy, part);
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL3010",
                           .name = "cudnn_file_instead_of_link",
                           .cause = "broken-symlink",
                           .severity = report::Severity::kWarning,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "two different files of cuDNN stand under one soname",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cudnn_file_instead_of_link

// CUL3010: two different cuDNN files have the same soname.
#include "base/text.h"
#include "rules/kit/file_fixes.h"
#include "rules/rule.h"

namespace culprit::rules::cudnn_file_instead_of_link {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
libcudnn_x.so.9 should be a symlink to the numbered file next to it. Here both are regular files, and they differ.

## Why it breaks
cuDNN 9 asks for the longest name first, the loader for the short one: shim and sub-libraries come from two releases. This
happens when files are copied over an installation without keeping symlinks.

## How culprit knows
culprit checks both names: neither is a symlink, and versions or sizes differ.

## Fix
Remove the copied files and reinstall the package.

## When this is not your problem
Wheels contain only the short names, all as regular files: that is normal.

## Sources
Trace of the names that cuDNN 9.19 opens; ldconfig(8).
)md";

// Keeps the release of the other sub-libraries: the symlink points to its numbered file again, or the
// numbered file is removed if that is the odd one.
report::Fix Repair(const Scene& scene, const snapshot::CudnnCopy& copy, const snapshot::CudnnPart& part) {
  const std::string target = LinkTarget(scene, part.path, copy.version);
  if (!target.empty()) {
    report::Fix fix = SetLink(scene, part.path, target);
    fix.text = "replace it with a symlink to " + target + ", which matches the other sub-libraries";
    return fix;
  }
  const std::string odd = LinkTarget(scene, part.path);
  const std::string place = base::JoinPath(base::DirName(PlaceOf(scene, part.path)), odd);
  return {.text = "remove " + odd + ", which comes from another release than the other sub-libraries",
          .commands = {Sudo(scene, place) + "rm " + Word(place)},
          .risk = report::Risk::kLow,
          .changes = {report::RemoveFile{place}}};
}

void Check(const Scene& scene, Ruling& ruling) {
  if (!scene.stack().cudnn) return;
  for (const snapshot::CudnnCopy& copy : *scene.stack().cudnn) {
    for (const snapshot::CudnnPart& part : copy.parts) {
      if (part.problem.kind != snapshot::PartProblem::Kind::kSecondFile) continue;
      // The detail names the other file, and its version or size.
      const std::string words = " is a file, not a symlink to " + part.problem.detail;
      report::Finding& finding =
          ruling.Fire(part.path + (part.version.empty() ? "" : " (" + part.version + ")") + words, part.path);
      finding.evidence.push_back({part.path + words, part.path});
      finding.fix = Repair(scene, copy, part);
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL3010",
                           .name = "cudnn_file_instead_of_link",
                           .family = Family::kCudnn,
                           .cause = "broken-symlink",
                           .severity = report::Severity::kWarning,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "two different cuDNN files have the same soname",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cudnn_file_instead_of_link

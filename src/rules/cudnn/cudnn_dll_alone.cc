// CUL3016: a directory has some cuDNN DLLs and lacks the rest.
#include <algorithm>

#include "base/windows/path.h"
#include "loader/windows/scenario.h"
#include "rules/rule.h"

namespace culprit::rules::cudnn_dll_alone {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A directory has one or a few cuDNN DLLs; the rest of that release is not next to them.

## Why it breaks
cudnn64_N.dll loads its sub-libraries by name: it loads the first ones on PATH, whatever their version, or does not
find them (126, 127). Copying only cudnn64_8.dll is the most common advice and the most common cause.
## How culprit knows
data/ lists the sub-libraries of each cuDNN release; culprit lists the directory.

## Fix
Copy all DLLs of the release or none. Better: add the release's directory to PATH and remove the single files.

## When this is not your problem
The program bundles some cuDNN sub-libraries on purpose and uses only those.

## Sources
NVIDIA, cuDNN Installation Guide for Windows; file lists of the wheels nvidia-cudnn-cuNN.
)md";

// If a complete release is installed elsewhere, remove the single files; otherwise add the missing ones.
report::Fix Repair(const Scene& scene, const snapshot::CudnnCopy& copy) {
  const auto whole = std::ranges::find_if(*scene.stack().cudnn, [&](const snapshot::CudnnCopy& other) {
    return other.major == copy.major && other.missing_parts.empty() && other.directory != copy.directory &&
           !loader::BelongsToPython(scene.snapshot, other.directory);
  });
  if (whole == scene.stack().cudnn->end()) {
    return {.text = "copy all DLLs of cuDNN " +
                    (copy.version.empty() ? std::to_string(copy.major) : copy.version) +
                    " there, from that release only",
            .commands = {"culprit why " + Word(copy.parts.front().name)},
            .risk = report::Risk::kLow,
            .changes = {report::InstallCudnn{copy.version, copy.cuda, copy.directory}}};
  }
  report::Fix fix{
      .text = "remove these: the complete release is in " + whole->directory + ", which belongs on PATH",
      .commands = {},
      .risk = report::Risk::kLow};
  for (const snapshot::CudnnPart& part : copy.parts) {
    fix.commands.push_back("del " + Word(part.path));
    fix.changes.push_back(report::RemoveFile{part.path});
  }
  const auto path = base::SplitWindowsPath(scene.Variable("PATH"));
  if (std::ranges::none_of(path,
                           [&](const auto& element) { return base::SameName(element, whole->directory); })) {
    const std::string spelled = base::ToWindowsPath(whole->directory);
    fix.commands.push_back("set \"PATH=" + InQuotes(spelled) + ";%PATH%\"");
    fix.changes.push_back(report::AddToList{"PATH", spelled});
  }
  return fix;
}

void Check(const Scene& scene, Ruling& ruling) {
  if (!scene.stack().cudnn) return ruling.NotApplicable();
  for (const snapshot::CudnnCopy& copy : *scene.stack().cudnn) {
    if (copy.missing_parts.empty() || copy.parts.empty()) continue;
    const bool few = copy.parts.size() < copy.missing_parts.size();
    // A wheel that bundles only the shim (ctranslate2) does so on purpose; if that fails, CUL3003 fires.
    const bool packaged = loader::BelongsToPython(scene.snapshot, copy.directory);
    // DLLs that cannot be loaded at all (32-bit, truncated) do no harm.
    const bool broken =
        std::ranges::all_of(copy.parts, [](const snapshot::CudnnPart& part) { return bool(part.problem); });
    if (!few || broken || packaged)
      continue;  // a release that lacks a few: CUL3003 fires if a process needs them
    std::string there, missing;
    for (const snapshot::CudnnPart& part : copy.parts) there += (there.empty() ? "" : ", ") + part.name;
    for (const std::string& name : copy.missing_parts) missing += (missing.empty() ? "" : ", ") + name;
    report::Finding& finding =
        ruling.Fire(copy.directory + " has " + there + " but not " + missing, copy.directory);
    finding.evidence.push_back({there + " in " + copy.directory, copy.directory});
    finding.evidence.push_back({"missing: " + missing, "data/libraries.toml: the sub-libraries of cuDNN " +
                                                           std::to_string(copy.major)});
    finding.fix = Repair(scene, copy);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL3016",
                           .name = "cudnn_dll_alone",
                           .family = Family::kCudnn,
                           .cause = "cudnn-sublibrary-missing",
                           .severity = report::Severity::kWarning,
                           .where = Where::kWindows,
                           .since = "0.4.0",
                           .title = "some cuDNN DLLs were copied without the others",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cudnn_dll_alone

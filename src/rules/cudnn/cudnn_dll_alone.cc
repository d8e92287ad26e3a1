// CUL3016: a directory holds some DLLs of cuDNN and lacks the rest.
#include <algorithm>

#include "base/windows_path.h"
#include "loader/windows/scenario.h"
#include "rules/kit/load_fixes.h"
#include "rules/rule.h"

namespace culprit::rules::cudnn_dll_alone {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A directory holds one or a few DLLs of cuDNN; the rest of that release is not beside them.

## Why it breaks
cudnn64_N.dll loads its parts by name: it takes them from wherever PATH leads, of whatever version, or does not find them (126, 127).
Copying cudnn64_8.dll alone is the most common advice and the most common cause.

## How culprit knows
The parts that each release of cuDNN has are in data/; the directory was listed.

## Fix
Copy all DLLs of the release, or none: better put the directory of the release on PATH and remove the single files.

## When this is not your problem
Programs that ship parts of cuDNN on purpose and use only those.

## Sources
NVIDIA, cuDNN Installation Guide for Windows; file lists of the wheels nvidia-cudnn-cuNN.
)md";

// Where a whole release is on the machine, the single files go; otherwise the rest comes beside them.
report::Fix Repair(const Scene& scene, const snapshot::CudnnCopy& copy) {
  const auto whole = std::ranges::find_if(*scene.stack().cudnn, [&](const snapshot::CudnnCopy& other) {
    return other.major == copy.major && other.missing_parts.empty() && other.directory != copy.directory &&
           !loader::BelongsToPython(scene.snapshot, other.directory);
  });
  if (whole == scene.stack().cudnn->end()) {
    return {.text = "put all DLLs of cuDNN " +
                    (copy.version.empty() ? std::to_string(copy.major) : copy.version) +
                    " there, of that release and no other",
            .commands = {"culprit why " + copy.parts.front().name},
            .risk = "low",
            .changes = {report::InstallCudnn{copy.version, copy.cuda, copy.directory}}};
  }
  report::Fix fix{
      .text = "remove these: the whole release is in " + whole->directory + ", which belongs on PATH",
      .commands = {},
      .risk = "low"};
  for (const snapshot::CudnnPart& part : copy.parts) {
    fix.commands.push_back("del " + ForShell(scene, part.path));
    fix.changes.push_back(report::RemoveFile{part.path});
  }
  const auto path = base::SplitWindowsPath(scene.Variable("PATH"));
  if (std::ranges::none_of(path,
                           [&](const auto& element) { return base::SameName(element, whole->directory); })) {
    const std::string spelled = base::ToWindowsPath(whole->directory);
    fix.commands.push_back("set \"PATH=" + spelled + ";%PATH%\"");
    fix.changes.push_back(report::AddToList{"PATH", spelled});
  }
  return fix;
}

void Check(const Scene& scene, Ruling& ruling) {
  if (!scene.stack().cudnn) return ruling.NotApplicable();
  for (const snapshot::CudnnCopy& copy : *scene.stack().cudnn) {
    if (copy.missing_parts.empty() || copy.parts.empty()) continue;
    const bool few = copy.parts.size() < copy.missing_parts.size();
    // A wheel that brings the shim alone (ctranslate2) does so on purpose; where that fails, CUL3003 speaks.
    const bool packaged = loader::BelongsToPython(scene.snapshot, copy.directory);
    // What cannot be loaded at all (32 bits, cut short) misleads nobody.
    const bool broken = std::ranges::all_of(
        copy.parts, [](const snapshot::CudnnPart& part) { return !part.problem.empty(); });
    if (!few || broken || packaged)
      continue;  // a release with a hole: CUL3003 speaks where a process meets it
    std::string there, missing;
    for (const snapshot::CudnnPart& part : copy.parts) there += (there.empty() ? "" : ", ") + part.name;
    for (const std::string& name : copy.missing_parts) missing += (missing.empty() ? "" : ", ") + name;
    report::Finding& finding =
        ruling.Fire(copy.directory + " holds " + there + " and not " + missing, copy.directory);
    finding.evidence.push_back({there + " in " + copy.directory, copy.directory});
    finding.evidence.push_back({"not beside it: " + missing,
                                "data/libraries.toml: the parts of cuDNN " + std::to_string(copy.major)});
    finding.fix = Repair(scene, copy);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL3016",
                           .name = "cudnn_dll_alone",
                           .cause = "cudnn-sublibrary-missing",
                           .severity = report::Severity::kWarning,
                           .where = Where::kWindows,
                           .since = "0.4.0",
                           .title = "single DLLs of cuDNN were copied without the others",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cudnn_dll_alone

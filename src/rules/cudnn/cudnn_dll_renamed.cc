// CUL3017: a cuDNN DLL was renamed to another major version.
#include <algorithm>

#include "base/text.h"
#include "base/windows/path.h"
#include "rules/kit/cudnn/cudnn_fixes.h"
#include "rules/kit/load_fixes.h"
#include "rules/rule.h"

namespace culprit::rules::cudnn_dll_renamed {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The file is called cudnn64_7.dll (or _8), but its export table names another DLL: somebody renamed it so that a program finds the
name it asks for.

## Why it breaks
Functions are missing or behave differently: error 127, CUDNN_STATUS_VERSION_MISMATCH, crashes at the first convolution.

## How culprit knows
A DLL has its own name in its export table; culprit compares it with the file name.

## Fix
Undo it: give the file its original name back, and install the major version that the program needs.

## When this is not your problem
Never: no release of cuDNN has such a file.

## Sources
Microsoft, PE Format (export directory table, name); export tables of the DLLs of cuDNN 7, 8 and 9.
)md";

bool IsLoaded(const Scene& scene, const std::string& path) {
  return std::ranges::any_of(scene.scenarios, [&](const loader::Scenario& scenario) {
    if (scenario.graph.target.empty()) return false;  // simulated because it exists; no program asks for it
    return std::ranges::any_of(scenario.graph.objects, [&](const loader::Object& object) {
      return base::SameName(object.path, path);
    });
  });
}

report::Fix Repair(const Scene& scene, const std::string& path, const std::string& inside) {
  const std::string own = base::JoinPath(base::DirName(path), inside);
  const bool there = scene.view.Open(own).error == base::PathError::kNone;
  report::Fix fix{.text = there ? "remove it: " + own + " exists under its original name"
                                : "give the file its original name back",
                  .commands = {(there ? "del " : "ren ") + Word(path) + (there ? "" : " " + Word(inside))},
                  .risk = report::Risk::kLow};
  if (!there) fix.changes.push_back(report::PutLibrary{.path = own, .like = path});
  fix.changes.push_back(report::RemoveFile{path});
  if (IsLoaded(scene, path)) {
    const CudnnChoice choice = ChooseCudnn(scene, MajorOfName(base::BaseName(path)), "");
    report::Fix asked = InstallForAll(scene, choice, std::string(base::DirName(path)));
    fix.text += "; " + asked.text;
    fix.commands.insert(fix.commands.end(), asked.commands.begin(), asked.commands.end());
    fix.changes.insert(fix.changes.end(), asked.changes.begin(), asked.changes.end());
  }
  fix.text += "; renaming a DLL does not change its version";
  return fix;
}

void Check(const Scene& scene, Ruling& ruling) {
  if (!scene.stack().cudnn) return ruling.NotApplicable();
  for (const snapshot::CudnnCopy& copy : *scene.stack().cudnn) {
    for (const snapshot::CudnnPart& part : copy.parts) {
      const snapshot::FileFacts& facts = scene.view.Open(part.path);
      if (facts.pe == nullptr || !facts.pe->export_name || facts.pe->export_name->empty()) continue;
      const std::string& inside = *facts.pe->export_name;
      if (base::SameName(inside, base::BaseName(part.path))) continue;
      if (!base::FoldCase(inside).starts_with("cudnn")) continue;
      report::Finding& finding = ruling.Fire(part.path + " is " + inside + " under another name", part.path);
      finding.evidence.push_back({"its export table says " + inside, part.path});
      finding.fix = Repair(scene, part.path, inside);
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL3017",
                           .name = "cudnn_dll_renamed",
                           .family = Family::kCudnn,
                           .cause = "cudnn-version-mismatch",
                           .severity = report::Severity::kError,
                           .where = Where::kWindows,
                           .since = "0.4.0",
                           .title = "a cuDNN DLL was renamed to another major version",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cudnn_dll_renamed

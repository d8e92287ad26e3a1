// CUL5027: PATH order decides between two versions of a DLL.
#include "base/text.h"
#include "base/windows/path.h"
#include "rules/kit/load_facts.h"
#include "rules/rule.h"

namespace culprit::rules::path_order {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A process loads a CUDA or cuDNN DLL from a directory on PATH, and a later directory on PATH has the same DLL in another
version.

## Why it breaks
It breaks only if you meant the later one: PATH order decides, for all programs of the shell.

## How culprit knows
culprit simulates the load with a model of the Windows loader and reads the versions from the files.

## Fix
Keep the directory of the version you want on PATH and remove the other one, or put it first.

## When this is not your problem
The first one is the one you want.

## Sources
Microsoft, Dynamic-link library search order.
)md";

void CheckObject(const Scene& scene, const loader::Scenario& scenario, const loader::Object& object,
                 Ruling& ruling) {
  const auto used = scene.view.Version(object.path);
  if (!used || used->version.empty()) return;
  bool behind = false;
  for (const std::string& directory : base::SplitWindowsPath(scene.Variable("PATH"))) {
    if (base::SameName(directory, base::DirName(object.path))) {
      behind = true;
      continue;
    }
    const std::string path = base::JoinPath(directory, base::BaseName(object.path));
    if (!behind || scene.view.Open(path).error != base::PathError::kNone) continue;
    const auto other = scene.view.Version(path);
    if (!other || other->version.empty() || other->version == used->version) continue;
    report::Finding& finding = ruling.Fire(
        object.path + " (" + used->version + ") on PATH shadows " + path + " (" + other->version + ")",
        object.path, {path});
    finding.affects.push_back(scenario.title);
    finding.evidence.push_back({object.path + " is " + used->version, used.source});
    finding.evidence.push_back({path + " is " + other->version, other.source});
    finding.fix = WithoutSearchDirectory(scene, directory);
    finding.fix.text = "keep only one of the two on PATH: remove " + directory +
                       " or, if you want its version, " + std::string(base::DirName(object.path)) +
                       ". The command changes this window, the Windows settings change all new ones";
    return;
  }
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const loader::Scenario& scenario : scene.scenarios) {
    for (const loader::Object& object : scenario.graph.objects) {
      if (object.via != loader::Via::kEnvironmentPath || LibraryOf(object) == nullptr) continue;
      CheckObject(scene, scenario, object, ruling);
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5027",
                           .name = "path_order",
                           .family = Family::kLoading,
                           .cause = "search-path",
                           .severity = report::Severity::kNote,
                           .where = Where::kWindows,
                           .since = "0.4.0",
                           .title = "PATH contains two versions of a CUDA DLL, and the first one wins",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::path_order

// CUL5027: the order of PATH decides between two versions of a DLL.
#include "base/text.h"
#include "base/windows_path.h"
#include "rules/kit/load_facts.h"
#include "rules/rule.h"

namespace culprit::rules::path_order {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A process takes a DLL of CUDA or cuDNN from a directory on PATH, and a later directory on PATH holds the same name in another
version.

## Why it breaks
It does not by itself. It does when the later one was meant: the order of PATH decides, for all programs of the shell.

## How culprit knows
The load is played through a model of the Windows loader; the versions are read from the files.

## Fix
Keep the directory of the version that is meant on PATH and take the other one out, or put it first.

## When this is not your problem
The first one is the one that is meant.

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
    report::Finding& finding = ruling.Fire("PATH gives " + object.path + " (" + used->version + "); " + path +
                                               " (" + other->version + ") stands further back",
                                           object.path);
    finding.affects.push_back(scenario.title);
    finding.evidence.push_back({object.path + " is " + used->version, used.source});
    finding.evidence.push_back({path + " is " + other->version, other.source});
    finding.fix = WithoutSearchDirectory(scene, directory);
    finding.fix.text = "keep one of the two on PATH: take " + directory +
                       " out; or, if its version is meant, " + std::string(base::DirName(object.path)) +
                       ". The command does it for this window, the settings of Windows for all new ones";
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
                           .cause = "search-path",
                           .severity = report::Severity::kNote,
                           .where = Where::kWindows,
                           .since = "0.4.0",
                           .title = "PATH gives one copy of a DLL of CUDA and holds another one further back",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::path_order

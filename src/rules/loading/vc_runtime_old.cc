// CUL5023: the loaded Visual C++ runtime is older than a framework requires.
#include "base/text.h"
#include "base/version.h"
#include "knowledge/windows.h"
#include "rules/kit/load_facts.h"
#include "rules/kit/load_fixes.h"
#include "rules/rule.h"

namespace culprit::rules::vc_runtime_old {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A Microsoft Visual C++ runtime DLL is found, but it is older than the framework requires.

## Why it breaks
The new code relies on data layouts that the old runtime does not have. The file is found and the functions exist, so
the error is neither 126 nor 127: "[WinError 1114] A dynamic link library (DLL) initialization routine failed. Error
loading ...\torch\lib\c10.dll", or a crash.

## How culprit knows
culprit compares the version resource of the DLL that the framework's process loads with a table of known minimum
versions (data/windows.toml).

## Fix
Install the current Microsoft Visual C++ Redistributable (x64). If an old msvcp140.dll is next to the program (an old
Java, an installer's copy), remove it: it shadows System32.

## When this is not your problem
You do not use the framework from there.

## Sources
data/windows.toml names the source of each floor.
)md";

void CheckObject(const Scene& scene, const loader::Scenario& scenario, const loader::Object& object,
                 Ruling& ruling) {
  const snapshot::Framework& framework = *scene.FrameworkOf(scenario);
  const knowledge::RuntimeFloor* floor =
      knowledge::FindRuntimeFloor(framework.name, framework.version, base::BaseName(object.path));
  if (floor == nullptr || object.pe == nullptr || !object.pe->version) return;
  const std::string& text = object.pe->version->file_version;
  const auto version = base::Version::Parse(text);
  if (!version || !(*version < *base::Version::Parse(floor->version))) return;
  report::Finding& finding =
      ruling.Fire(object.path + " is " + text + "; " + framework.name + " " + framework.version + " needs " +
                      std::string(floor->version) + " or newer (error 1114)",
                  object.path, {framework.name, framework.version});
  finding.affects.push_back(scenario.title);
  finding.evidence.push_back(
      {object.path + " is " + text + ", found through " + FoundThrough(scenario.graph, object.path),
       "version resource of " + object.path});
  finding.evidence.push_back({framework.name + " since " + std::string(floor->since) + " needs " +
                                  std::string(floor->version) + ": " + std::string(floor->effect),
                              std::string(floor->source)});
  const knowledge::Redistributable* package = knowledge::FindRedistributable(floor->dll);
  finding.fix = {.text = package == nullptr ? "install the current Microsoft Visual C++ Redistributable (x64)"
                                            : std::string(package->fix),
                 .commands = RuntimeCommands(base::BaseName(object.path)),
                 .risk = report::Risk::kLow,
                 .changes = {report::PutLibrary{
                     .path = object.path, .like = object.path, .version = std::string(floor->version)}}};
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const loader::Scenario& scenario : scene.scenarios) {
    if (scene.FrameworkOf(scenario) == nullptr) continue;
    for (const loader::Object& object : scenario.graph.objects) CheckObject(scene, scenario, object, ruling);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5023",
                           .name = "vc_runtime_old",
                           .family = Family::kLoading,
                           .cause = "dependent-missing",
                           .severity = report::Severity::kError,
                           .where = Where::kWindows,
                           .since = "0.4.0",
                           .title = "the Visual C++ runtime is older than a framework requires",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::vc_runtime_old

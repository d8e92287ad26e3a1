// CUL6022: square brackets in the path keep torch from preloading its DLLs.
#include "rules/rule.h"

namespace culprit::rules::brackets_in_path {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The path of torch contains '[' or ']'. torch lists its own DLLs with glob, which treats brackets as a pattern, so it
finds none and loads none of them before its extension module.

## Why it breaks
"DLL load failed while importing _C", error 126, or later "Could not load library cudnn_...64_9.dll": the cuDNN
sub-libraries that are loaded by name are not loaded yet and are searched on PATH.

## How culprit knows
The path of the package; torch/__init__.py (_load_dll_libraries) calls glob.glob on it.

## Fix
Move the environment to a path without brackets.

## When this is not your problem
You do not use torch from there.

## Sources
torch/__init__.py of torch 2.x; Python, glob module (characters in brackets).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  if (!scene.stack().environments) return ruling.NotApplicable();
  for (const snapshot::PythonEnvironment& environment : *scene.stack().environments) {
    for (const snapshot::Framework& framework : environment.frameworks) {
      if (framework.name != "torch" || framework.directory.find_first_of("[]") == std::string::npos) continue;
      report::Finding& finding =
          ruling.Fire("torch is in " + framework.directory + ": the brackets keep it from loading its DLLs",
                      framework.directory);
      finding.affects.push_back("torch " + framework.version + " in " + environment.prefix);
      finding.evidence.push_back({"the path has square brackets", framework.directory});
      finding.fix = {.text = "recreate the environment in a directory without brackets",
                     .commands = {},
                     .risk = report::Risk::kLow,
                     .changes = {report::NotInFiles{"the environment in another directory",
                                                    "the user chooses where to recreate it"}}};
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL6022",
                           .name = "brackets_in_path",
                           .family = Family::kPython,
                           .cause = "search-path",
                           .severity = report::Severity::kWarning,
                           .where = Where::kWindows,
                           .since = "0.4.0",
                           .title = "torch is in a path with square brackets",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::brackets_in_path

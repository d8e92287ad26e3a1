// CUL6022: square brackets in the path keep torch from preloading its DLLs.
#include "rules/rule.h"

namespace culprit::rules::brackets_in_path {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The directory of torch has '[' or ']' in its path. torch lists its own DLLs with glob, to which brackets are a pattern, so it finds
none and loads none of them before its extension module.

## Why it breaks
"DLL load failed while importing _C", error 126, or later "Could not load library cudnn_...64_9.dll": the parts of cuDNN that are
loaded by name are not there yet and are looked for on PATH.

## How culprit knows
The path of the package; torch/__init__.py (_load_dll_libraries) calls glob.glob on it.

## Fix
Move the environment to a path without brackets.

## When this is not your problem
torch is not used from there.

## Sources
torch/__init__.py of torch 2.x; Python, glob module (characters in brackets).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  if (!scene.stack().environments) return ruling.NotApplicable();
  for (const snapshot::PythonEnvironment& environment : *scene.stack().environments) {
    for (const snapshot::Framework& framework : environment.frameworks) {
      if (framework.name != "torch" || framework.directory.find_first_of("[]") == std::string::npos) continue;
      report::Finding& finding =
          ruling.Fire("torch lies in " + framework.directory + ": the brackets keep it from loading its DLLs",
                      framework.directory);
      finding.affects.push_back("torch " + framework.version + " in " + environment.prefix);
      finding.evidence.push_back({"the path has square brackets", framework.directory});
      finding.fix = {.text = "make the environment anew in a directory without brackets",
                     .commands = {},
                     .risk = "low",
                     .changes = {report::NotInFiles{"the environment in another directory",
                                                    "it is made anew in a place that its user chooses"}}};
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL6022",
                           .name = "brackets_in_path",
                           .cause = "search-path",
                           .severity = report::Severity::kWarning,
                           .where = Where::kWindows,
                           .since = "0.4.0",
                           .title = "torch lies below a directory with square brackets in its name",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::brackets_in_path

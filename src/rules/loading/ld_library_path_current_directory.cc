// CUL5019: an empty LD_LIBRARY_PATH entry: the current directory is searched.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "rules/kit/variables/variable_fixes.h"

namespace culprit::rules::ld_library_path_current_directory {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
An empty entry in LD_LIBRARY_PATH (a colon at the start, at the end, or two in a row) means the current directory.

## Why it breaks
What a program loads then depends on where it is started, and a stray libcudnn.so.9 in a working directory shadows the
installed one. It comes from `export LD_LIBRARY_PATH=/x:$LD_LIBRARY_PATH` while the variable was not set.

## How culprit knows
The value of the variable.

## Fix
Write `export LD_LIBRARY_PATH=/x${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}`.

## When this is not your problem
It is harmless as long as there are no libraries in the directories where programs are started.

## Sources
ld.so(8).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const std::string value(scene.Variable("LD_LIBRARY_PATH"));
  if (value.empty()) return;
  const auto separators = std::ranges::count_if(value, [](char c) { return c == ':' || c == ';'; });
  if (std::cmp_equal(separators + 1, base::SplitWords(value, ":;").size())) return;
  report::Finding& finding =
      ruling.Fire("LD_LIBRARY_PATH has an empty entry, which means the current directory", "LD_LIBRARY_PATH");
  finding.evidence.push_back({"LD_LIBRARY_PATH=" + value, "environment"});
  finding.fix = SetOrUnset(scene, "LD_LIBRARY_PATH",
                           WithoutEntries(value, ":;", [](const std::string&) { return false; }),
                           "remove the empty entry");
  for (const loader::Scenario& scenario : scene.scenarios) {
    for (const loader::Object& object : scenario.graph.objects) {
      const bool here =
          !object.path.starts_with('/') || base::DirName(object.path) == scene.snapshot.working_directory;
      if (object.via != loader::Via::kLdLibraryPath || !here) continue;
      finding.severity = report::Severity::kWarning;
      finding.affects.push_back(scenario.title);
      finding.evidence.push_back({object.path + " is loaded from the current directory", object.path});
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5019",
                           .name = "ld_library_path_current_directory",
                           .family = Family::kLoading,
                           .cause = "search-path",
                           .severity = report::Severity::kNote,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "LD_LIBRARY_PATH has an empty entry, which means the current directory",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::ld_library_path_current_directory

// CUL5014: LD_LIBRARY_PATH contains a stubs directory.
#include "base/text.h"
#include "rules/kit/load_facts.h"
#include "rules/rule.h"

namespace culprit::rules::ld_library_path_stubs {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
LD_LIBRARY_PATH contains the stubs directory of a toolkit. Its files satisfy the linker on machines without a driver and
do nothing else.

## Why it breaks
A program that loads libcuda.so, libnvidia-ml.so or another name in that directory gets the stub: every call returns an
error, "CUDA driver is a stub library".

## How culprit knows
The entry exists and is called stubs.

## Fix
Remove it from LD_LIBRARY_PATH; pass it to builds with -L or LIBRARY_PATH.

## When this is not your problem
LIBRARY_PATH and -L are for the linker and fine.

## Sources
The text inside the stubs of CUDA 13.0; install guide of CUDA.
)md";

// CUL1010 speaks when the stub is what programs really get for libcuda.so.1.
bool StubWins(const Scene& scene, const std::string& directory) {
  for (const loader::Scenario& scenario : scene.scenarios) {
    for (const loader::Object& object : scenario.graph.objects) {
      if (base::DirName(object.path) == directory) return true;
    }
  }
  return false;
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const std::string& element : base::SplitWords(scene.Variable("LD_LIBRARY_PATH"), ":;")) {
    const std::string directory = base::CleanPath(element);
    if (base::BaseName(directory) != "stubs" || scene.view.Directory(directory) != base::PathError::kNone)
      continue;
    if (StubWins(scene, directory)) continue;
    report::Finding& finding =
        ruling.Fire("LD_LIBRARY_PATH contains the stubs directory " + element, "LD_LIBRARY_PATH", {element});
    finding.evidence.push_back(
        {"LD_LIBRARY_PATH=" + std::string(scene.Variable("LD_LIBRARY_PATH")), "environment"});
    finding.fix = WithoutSearchDirectory(scene, element);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5014",
                           .name = "ld_library_path_stubs",
                           .family = Family::kLoading,
                           .cause = "search-path",
                           .severity = report::Severity::kWarning,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "LD_LIBRARY_PATH contains a stubs directory",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::ld_library_path_stubs

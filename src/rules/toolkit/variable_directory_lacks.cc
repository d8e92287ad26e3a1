// CUL4021: a variable points to a directory that lacks what is looked for there.
#include <algorithm>

#include "base/path_error.h"
#include "base/text.h"
#include "rules/kit/variables/variable_facts.h"

namespace culprit::rules::variable_directory_lacks {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A variable says where CUDA or the driver is, but the directory lacks what the package looks for.
## Why it breaks
XLA fails with "libdevice not found at ./libdevice.10.bc" or cannot find ptxas, although a toolkit or a pip package
has both; Triton with "libcuda.so cannot found!", although the driver is installed.
## How culprit knows
culprit looks below the path in the variable for the file or directory that data/variables.toml names.
## Fix
Remove the flag, so that the package uses its own copy, or point it to the directory that has the file.
## When this is not your problem
The path exists only where the program runs: in a container, or on another node.

## Sources
data/variables.toml, each row with its source.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const ReadVariable& read : ReadVariables(scene, knowledge::VariableKind::kDirectory)) {
    const std::string directory = scene.PathOf(read.value);
    bool unknown = false;
    const bool holds = std::ranges::any_of(read.row->holds, [&](std::string_view name) {
      const base::PathError error = scene.view.Open(base::JoinPath(directory, name)).error;
      unknown |= error == base::PathError::kNotRecorded;
      return error == base::PathError::kNone || error == base::PathError::kAccess;
    });
    if (unknown) ruling.NotEnoughFacts(read.value, "not recorded in the snapshot");
    if (holds || unknown || read.row->holds.empty()) continue;
    const std::string missing(read.row->holds.front());
    report::Finding& finding =
        FireVariable(ruling, read,
                     std::string(read.row->flag.empty() ? read.row->name : read.row->flag) + "=" +
                         read.value + " has no " + missing + " in it");
    finding.cause = read.row->cause;
    finding.evidence.push_back({"there is no " + base::JoinPath(directory, missing), read.value});
    finding.fix = WithoutVariable(scene, read, "remove it, or point it to a directory that has " + missing);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL4021",
                           .name = "variable_directory_lacks",
                           .family = Family::kToolkit,
                           .explains = Explains::kFramework,
                           .cause = "search-path",
                           .severity = report::Severity::kWarning,
                           .since = "0.9.0",
                           .title = "a variable points to a directory that lacks what is looked for there",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::variable_directory_lacks

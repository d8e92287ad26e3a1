// CUL5041: a variable names a file that does not exist.
#include "base/path_error.h"
#include "rules/kit/variables/variable_facts.h"

namespace culprit::rules::variable_names_missing_file {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A variable names the file that a package must use, but that file does not exist.
## Why it breaks
numba, and numba-cuda before 0.20, look nowhere else and fail with "NUMBA_CUDA_DRIVER ... is not a valid file path". Triton uses the ptxas in its
own package instead, which may not know the GPU for which the variable was set (a warning).
## How culprit knows
culprit looks up the path. It reports a variable only if a package that reads it is installed; data/variables.toml has
the list.
## Fix
Unset the variable, so that the package searches by itself, or correct the path. It must be a file, not a directory.
## When this is not your problem
The path exists only where the program runs: in a container, or on another node.

## Sources
data/variables.toml, each row with its source.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const ReadVariable& read : ReadVariables(scene, knowledge::VariableKind::kFile)) {
    const snapshot::FileFacts& file = scene.view.Open(scene.PathOf(read.value));
    if (file.error == base::PathError::kNotRecorded) {
      ruling.NotEnoughFacts(std::string(read.row->name), "not recorded in the snapshot");
      continue;
    }
    const bool directory =
        file.error == base::PathError::kNone && file.kind == snapshot::FileKind::kDirectory;
    const bool gone = file.error == base::PathError::kNoEntry || file.error == base::PathError::kNotDirectory;
    if (!directory && !gone) continue;
    report::Finding& finding =
        FireVariable(ruling, read,
                     std::string(read.row->name) + "=" + read.value +
                         (directory ? " is a directory; it must be a file" : " does not exist"));
    finding.cause = read.row->cause;
    if (read.row->falls_back) finding.severity = report::Severity::kWarning;
    finding.evidence.push_back(
        {read.value + (directory ? " is a directory" : ": " + std::string(base::Strerror(file.error))),
         read.value});
    finding.fix = WithoutVariable(scene, read, "unset it, or set it to the right file");
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5041",
                           .name = "variable_names_missing_file",
                           .family = Family::kLoading,
                           .explains = Explains::kFramework,
                           .cause = "search-path",
                           .severity = report::Severity::kError,
                           .since = "0.9.0",
                           .title = "a variable names a file that does not exist",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::variable_names_missing_file

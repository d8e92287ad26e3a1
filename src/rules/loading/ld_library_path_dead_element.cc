// CUL5013: LD_LIBRARY_PATH contains directories that do not exist.
#include "base/path_error.h"
#include "base/text.h"
#include "rules/kit/load_facts.h"
#include "rules/rule.h"

namespace culprit::rules::ld_library_path_dead_element {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
Some directories in LD_LIBRARY_PATH do not exist.

## Why it breaks
It breaks nothing by itself. It is left over from a removed toolkit or a typo, so the libraries that should be found
there are not.

## How culprit knows
culprit looks up each entry.

## Fix
Remove the entry, or correct it.

## When this is not your problem
Some entries exist only in a container, or while a network directory is mounted. /usr/local/nvidia, which NVIDIA's
images set, is ignored.

## Sources
ld.so(8) and the source of glibc (elf/dl-load.c).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const std::string& element : base::SplitWords(scene.Variable("LD_LIBRARY_PATH"), ":;")) {
    if (!element.starts_with('/') || element.find('$') != std::string::npos) continue;
    if (element.find_first_of(",\"'") != std::string::npos) continue;  // CUL5042
    if (element.starts_with("/usr/local/nvidia/lib"))
      continue;  // NVIDIA's images name it for an older container runtime
    const base::PathError error = scene.view.Directory(base::CleanPath(element));
    if (error == base::PathError::kNotRecorded) {
      ruling.NotEnoughFacts("LD_LIBRARY_PATH entry " + element, "not recorded in the snapshot");
    }
    if (error != base::PathError::kNoEntry && error != base::PathError::kNotDirectory) continue;
    if (scene.view.Open(base::CleanPath(element)).elf != nullptr) continue;  // a library: CUL5042
    report::Finding& finding = ruling.Fire(
        "LD_LIBRARY_PATH contains " + element + ", which is not a directory", "LD_LIBRARY_PATH", {element});
    finding.evidence.push_back({element + ": " + std::string(base::Strerror(error)), "environment"});
    finding.fix = WithoutSearchDirectory(scene, element);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5013",
                           .name = "ld_library_path_dead_element",
                           .family = Family::kLoading,
                           .cause = "search-path",
                           .severity = report::Severity::kNote,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "LD_LIBRARY_PATH contains directories that do not exist",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::ld_library_path_dead_element

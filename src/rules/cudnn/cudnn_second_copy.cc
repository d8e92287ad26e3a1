// CUL3014: several versions of one cuDNN major are installed.
#include <map>

#include "base/text.h"
#include "base/version.h"
#include "rules/kit/cudnn/cudnn_facts.h"
#include "rules/rule.h"

namespace culprit::rules::cudnn_second_copy {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The machine has more than one cuDNN of the same major version, and their versions differ.

## Why it breaks
Nothing breaks as long as no process loads two of them; search paths decide that. It is worth knowing which program
uses which.

## How culprit knows
culprit lists every directory that may contain cuDNN and reads the exported version of each copy.

## Fix
None is needed. Be careful with LD_LIBRARY_PATH.

## When this is not your problem
This is normal: the system has one copy, and each Python environment its own.

## Sources
ld.so(8).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  if (!scene.stack().cudnn) return;
  std::map<uint32_t, std::map<std::string, std::vector<const snapshot::CudnnCopy*>>> majors;
  for (const snapshot::CudnnCopy& copy : *scene.stack().cudnn) {
    auto version = base::Version::Parse(copy.version);
    if (!version) continue;
    version->parts.resize(3);
    majors[copy.major][version->ToString()].push_back(&copy);
  }
  for (const auto& [major, versions] : majors) {
    if (versions.size() < 2) continue;
    std::string list;
    report::Finding& finding = ruling.Fire("", "cuDNN " + std::to_string(major));
    for (const auto& [version, copies] : versions) {
      list += (list.empty() ? "" : ", ") + version + " in " + copies.front()->directory;
      for (const snapshot::CudnnCopy* copy : copies) {
        finding.evidence.push_back({copy->directory + " has cuDNN " + copy->version, copy->version_source});
      }
    }
    finding.summary = "several versions of cuDNN " + std::to_string(major) + " are installed: " + list;
    for (const loader::Scenario& scenario : scene.scenarios) {
      if (const auto used = OneCudnnOf(scene, scenario)) {
        finding.affects.push_back(scenario.title + ": " + used->version->ToString() + " from " +
                                  std::string(base::DirName(used->object->path)));
      }
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL3014",
                           .name = "cudnn_second_copy",
                           .family = Family::kCudnn,
                           .cause = "cudnn-mixed-versions",
                           .severity = report::Severity::kNote,
                           .since = "0.2.0",
                           .title = "several versions of one cuDNN major are installed",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cudnn_second_copy

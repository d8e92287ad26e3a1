// CUL3014: several copies of cuDNN of one major are on the machine.
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
It breaks nothing as long as no process meets two of them; search paths decide that. It is worth knowing which program
uses which.

## How culprit knows
Every directory that may hold cuDNN was listed; the version of each copy is read from its exported word.

## Fix
None is needed. Take care with LD_LIBRARY_PATH.

## When this is not your problem
This is normal: the system has one, each Python environment its own.

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
        finding.evidence.push_back({copy->directory + " holds cuDNN " + copy->version, copy->version_source});
      }
    }
    finding.summary = "cuDNN " + std::to_string(major) + " is here in several versions: " + list;
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
                           .cause = "cudnn-mixed-versions",
                           .severity = report::Severity::kNote,
                           .since = "0.2.0",
                           .title = "several copies of cuDNN of one major are on the machine",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cudnn_second_copy

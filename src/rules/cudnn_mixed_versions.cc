// CUL3004: parts of cuDNN of different versions in one process.
#include <map>
#include <optional>
#include <string>

#include "base/text.h"
#include "base/version.h"
#include "knowledge/libraries.h"
#include "rules/load_facts.h"
#include "rules/rule.h"
#include "rules/table.h"

namespace culprit::rules {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The shim libcudnn and the parts that it opens (graph, ops, cnn, adv, engines) come from two releases of cuDNN.

## Why it breaks
The parts call each other through private interfaces that change with every release, and check each other's
version: CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH, `undefined symbol ... version libcudnn_ops_infer.so.8`, "compiled
against (9, 19, 0) but found runtime version (9, 14, 0)", or a crash at the first convolution.

## How culprit knows
It plays the load of the program through a model of the dynamic loader, follows the dlopen calls of the shim, and
reads the version from the exported version word of each part that wins.

## Fix
Let one directory win for all parts. Mostly LD_LIBRARY_PATH is to blame: the wheel's shim has a RUNPATH, and
LD_LIBRARY_PATH is searched before a RUNPATH. Unset it, or take the directory out of it.

## When this is not your problem
Two copies of cuDNN on one machine are normal. Only copies that meet in one process are reported here.

## Sources
ld.so(8); the loader's own trace (LD_DEBUG=libs) of PyTorch 2.11 with cuDNN 9.19.0 beside it and 9.14.0 in the system.
)md";

void CheckProcess(const Scene& scene, const loader::Scenario& scenario, Ruling& ruling) {
  const loader::Object* first = nullptr;
  base::Version expected;
  std::map<std::string, std::string> odd;  // path -> version
  const loader::Object* offender = nullptr;
  for (const loader::Object& object : scenario.graph.objects) {
    const auto* library = LibraryOf(object);
    if (library == nullptr || library->family != "cudnn") continue;
    const auto fact = scene.view.Version(object.path);
    auto version = fact ? base::Version::Parse(fact->version) : std::nullopt;
    if (!version) continue;
    version->parts.resize(3);  // the fourth is a build number that not every part tells
    if (first == nullptr) {
      first = &object;
      expected = *version;
    } else if (version->part(0) == expected.part(0) && *version != expected) {
      odd[object.path] = version->ToString();
      if (offender == nullptr) offender = &object;
    }
  }
  if (offender == nullptr) return;
  const std::string odd_version = odd.begin()->second;
  report::Finding& finding = ruling.Fire(
      std::string(base::BaseName(offender->path)) + " resolves to " + odd_version + " in " +
          std::string(base::DirName(offender->path)) + ", " + std::string(base::BaseName(first->path)) +
          " is " + expected.ToString() + " in " + std::string(base::DirName(first->path)),
      offender->path);
  finding.affects.push_back(scenario.title);
  finding.evidence.push_back({first->path + " is " + expected.ToString(),
                              "found through " + FoundThrough(scenario.graph, first->path)});
  for (const auto& [path, version] : odd) {
    finding.evidence.push_back(
        {path + " is " + version, "found through " + FoundThrough(scenario.graph, path)});
  }
  if (offender->via == loader::Via::kLdLibraryPath) {
    finding.evidence.push_back({"LD_LIBRARY_PATH=" + std::string(scene.Variable("LD_LIBRARY_PATH")) +
                                    " is searched before the RUNPATH of " + first->path,
                                "environment"});
    finding.fix = WithoutSearchDirectory(scene, std::string(base::DirName(offender->path)));
  } else {
    finding.fix = {
        .text = "make all parts of cuDNN come from one directory: install the missing parts beside " +
                first->path + ", or remove the second copy from the search",
        .commands = {"culprit why " + std::string(base::BaseName(offender->path))},
        .risk = "low"};
  }
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const loader::Scenario& scenario : scene.scenarios) CheckProcess(scene, scenario, ruling);
}

}  // namespace

const Rule kCudnnMixedVersions = {.code = "CUL3004",
                                  .name = "cudnn_mixed_versions",
                                  .cause = "cudnn-mixed-versions",
                                  .severity = report::Severity::kError,
                                  .since = "0.2.0",
                                  .title = "parts of cuDNN of different versions meet in one process",
                                  .page = kPage,
                                  .check = Check};

}  // namespace culprit::rules

// CUL3006: the cuDNN that is loaded is older than the framework was built against.
#include <algorithm>

#include "base/text.h"
#include "base/version.h"
#include "knowledge/cudnn.h"
#include "rules/cudnn_facts.h"
#include "rules/cudnn_fixes.h"
#include "rules/load_facts.h"
#include "rules/load_fixes.h"
#include "rules/package_facts.h"
#include "rules/rule.h"
#include "rules/table.h"

namespace culprit::rules {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A framework was built against one release of cuDNN and loads an older one (or, where it is said so, another major).

## Why it breaks
Within a major version newer releases serve programs built against older ones, not the other way round. PyTorch and
TensorFlow compare the numbers and refuse: "cuDNN version incompatibility: PyTorch was compiled against (9, 19, 0) but
found runtime version (9, 14, 0)", "Loaded runtime CuDNN library: 8.7.0 but source was compiled with: 8.9.6".

## How culprit knows
The release that a framework was built against is read from its own files or its requirements, the loaded one from the
exported version word of the file that wins.

## Fix
Let the cuDNN win that came with the framework, or bring the installed one up to it. "Upgrade your cuDNN" is the wrong
advice where an old copy merely shadows the right one.

## When this is not your problem
A newer cuDNN of the same major is fine. A difference in the third number alone is fine too.

## Sources
torch/backends/cudnn/__init__.py; tsl cuda_dnn.cc; the compatibility rules of cuDNN.
)md";

// The release that the framework pins; without a pin, the one that it was built against.
report::Fix Reinstall(const Scene& scene, const snapshot::PythonEnvironment& environment,
                      const snapshot::Framework& framework, const std::string& package,
                      const base::Version& built) {
  const std::string pinned = PinnedVersion(scene, environment, package);
  if (!pinned.empty()) {
    return ReinstallPackage(scene, environment, package, pinned,
                            "install the cuDNN that " + framework.name + " asks for, whatever is there now");
  }
  const auto releases = knowledge::FindCudnn(built);
  const std::string build(releases.empty() ? std::string_view() : releases.back()->build);
  if (!build.empty()) {
    return ReinstallPackage(scene, environment, package, build,
                            "install the cuDNN that " + framework.name + " was built against");
  }
  return {.text = "bring cuDNN up to the release that " + framework.name + " was built against",
          .commands = {PipOf(environment) + " install '" + package + ">=" + framework.cudnn + ",<" +
                       std::to_string(built.part(0) + 1) + "'"},
          .risk = "low",
          .changes = {report::InstallPackage{environment.prefix, package, framework.cudnn}}};
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const loader::Scenario& scenario : scene.scenarios) {
    const snapshot::Framework* framework = scene.FrameworkOf(scenario);
    if (framework == nullptr || framework->cudnn.empty()) continue;
    const auto built = base::Version::Parse(framework->cudnn);
    const auto loaded = OneCudnnOf(scene, scenario);
    if (!built || built->parts.size() < 2 || !loaded) continue;  // mixed ones are CUL3004
    const bool other_major = loaded->version->part(0) != built->part(0);
    const bool older = !other_major && loaded->version->part(1) < built->part(1);
    if (!older && !other_major) continue;
    // One that is preloaded by path does not serve; that the right one is missing is CUL3001 or CUL3002.
    const std::string wanted = "libcudnn.so." + std::to_string(built->part(0));
    if (other_major && std::ranges::any_of(scenario.graph.requests, [&](const loader::Request& request) {
          return request.name == wanted && !request.error.empty();
        })) {
      continue;
    }
    const std::string directory(base::DirName(loaded->object->path));
    report::Finding& finding =
        ruling.Fire(framework->name + " " + framework->version + " was built against cuDNN " +
                        framework->cudnn + " and loads " + loaded->version->ToString() + " from " + directory,
                    loaded->object->path);
    finding.affects.push_back(scenario.title);
    finding.evidence.push_back(
        {framework->name + " was built against cuDNN " + framework->cudnn, framework->source});
    finding.evidence.push_back({loaded->object->path + " is " + loaded->version->ToString(), loaded->source});
    finding.evidence.push_back(
        {"found through " + FoundThrough(scenario.graph, loaded->object->path), loaded->object->path});
    if (loaded->object->via == loader::Via::kLdLibraryPath) {
      finding.fix = WithoutSearchDirectory(scene, directory);
      continue;
    }
    const auto* environment = scene.EnvironmentOf(scenario);
    const std::string cuda = base::Split(framework->cuda, '.').front();
    finding.fix = InstallForAll(scene, {built->ToString(), "", cuda, false}, directory);
    if (environment != nullptr && !cuda.empty() && directory.starts_with(environment->prefix)) {
      finding.fix = Reinstall(scene, *environment, *framework, "nvidia-cudnn-cu" + cuda, *built);
    }
  }
}

}  // namespace

const Rule kCudnnOlderThanCompiled = {
    .code = "CUL3006",
    .name = "cudnn_older_than_compiled",
    .cause = "cudnn-version-mismatch",
    .severity = report::Severity::kError,
    .since = "0.2.0",
    .title = "the cuDNN that is loaded is older than the framework was built against",
    .page = kPage,
    .check = Check};

}  // namespace culprit::rules

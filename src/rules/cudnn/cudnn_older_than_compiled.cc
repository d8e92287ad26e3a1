// CUL3006: the loaded cuDNN is older than the one the framework was built against.
#include <algorithm>
#include <optional>

#include "base/text.h"
#include "base/version.h"
#include "knowledge/cudnn.h"
#include "knowledge/libraries.h"
#include "rules/kit/cudnn/cudnn_facts.h"
#include "rules/kit/cudnn/cudnn_fixes.h"
#include "rules/kit/load_facts.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/loading/forced_copy.h"
#include "rules/kit/python/package_facts.h"
#include "rules/rule.h"

namespace culprit::rules::cudnn_older_than_compiled {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A framework was built against one cuDNN release and loads an older one, or another major version.

## Why it breaks
Within a major version, newer releases work with programs built against older ones, not the other way round. PyTorch and
TensorFlow compare the versions and fail: "cuDNN version incompatibility: PyTorch was compiled against (9, 19, 0) but
found runtime version (9, 14, 0)", "Loaded runtime CuDNN library: 8.7.0 but source was compiled with: 8.9.6".

## How culprit knows
culprit reads the release that a framework was built against from its own files or its requirements (nvidia-cudnn-cu12>=9.8 of
an extra counts: the framework checks for it), and the loaded one from the exported version of the file that is found.

## Fix
Let the framework load the cuDNN it came with, or upgrade the installed one to that release. "Upgrade your cuDNN" is the
wrong advice if an old copy merely shadows the right one.

## When this is not your problem
A newer cuDNN of the same major is fine. A difference in the third number alone is fine too.

## Sources
torch/backends/cudnn/__init__.py; openxla/xla: xla/stream_executor/cuda/cuda_dnn.cc; the compatibility rules of cuDNN.
)md";

// The release that the framework pins; without a pin, the one that it was built against.
report::Fix Reinstall(const Scene& scene, const snapshot::PythonEnvironment& environment,
                      const snapshot::Framework& framework, const std::string& package,
                      const base::Version& built) {
  const std::string pinned = PinnedVersion(scene, environment, package);
  if (!pinned.empty()) {
    return ReinstallPackage(environment, package, pinned,
                            "install the cuDNN that " + framework.name + " pins, over the current one");
  }
  const auto releases = knowledge::FindCudnn(built);
  const std::string build(releases.empty() ? std::string_view() : releases.back()->build);
  if (!build.empty()) {
    return ReinstallPackage(environment, package, build,
                            "install the cuDNN that " + framework.name + " was built against");
  }
  return {.text = "upgrade cuDNN to the release that " + framework.name + " was built against",
          .commands = {PipOf(environment) + " install '" + Plain(package) + ">=" + Plain(built.ToString()) +
                       ",<" + Plain(std::to_string(built.part(0) + 1)) + "'"},
          .risk = report::Risk::kLow,
          .changes = {report::InstallPackage{environment.prefix, package, built.ToString()}}};
}

// The lowest release that a framework accepts.
struct Least {
  base::Version version;
  std::string words;   // "was built against cuDNN 9.1.0"
  std::string source;  // where that is stated
  bool is_bound = false;
};

// What JAX and TensorFlow require in an extra: nvidia-cudnn-cu12<10.0,>=9.8, or ==8.9.7.29. They compare the
// loaded release with it, or with the one they were built against, which has the same minor or a newer one.
std::optional<Least> Asked(const snapshot::PythonEnvironment& environment,
                           const snapshot::Framework& framework) {
  const std::string package = framework.package.empty() ? framework.name : framework.package;
  const std::string cuda = base::Split(framework.cuda, '.').front();
  for (const snapshot::PythonPackage& asker : environment.packages) {
    const bool plugin = framework.name == "jax" && asker.name == "jax-cuda" + cuda + "-plugin";
    if (asker.name != package && !plugin) continue;
    for (const snapshot::Requirement& requirement : asker.requirements) {
      const bool pinned = requirement.specifier.starts_with("==");
      const size_t at = pinned ? 0 : requirement.specifier.find(">=");
      if (requirement.name != "nvidia-cudnn-cu" + cuda || at == std::string::npos) continue;
      const std::string bound = requirement.specifier.substr(at + 2);
      const auto version = base::Version::Parse(bound.substr(0, bound.find_first_of(", ")));
      if (!version || version->parts.size() < 2) continue;
      return Least{*version, "requires cuDNN " + version->ToString() + (pinned ? "" : " or later"),
                   asker.record, /*is_bound=*/!pinned};
    }
  }
  return std::nullopt;
}

std::optional<Least> LeastFor(const snapshot::PythonEnvironment& environment,
                              const snapshot::Framework& framework) {
  const auto built = base::Version::Parse(framework.cudnn);
  if (built && built->parts.size() >= 2)
    return Least{*built, "was built against cuDNN " + framework.cudnn, framework.source};
  return Asked(environment, framework);
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const loader::Scenario& scenario : scene.scenarios) {
    const snapshot::Framework* framework = scene.FrameworkOf(scenario);
    const auto* environment = scene.EnvironmentOf(scenario);
    if (framework == nullptr || environment == nullptr) continue;
    const auto least = LeastFor(*environment, *framework);
    const auto loaded = OneCudnnOf(scene, scenario);
    if (!least || !loaded) continue;  // CUL3004 reports mixed versions
    const bool other_major = loaded->version->part(0) != least->version.part(0);
    const bool older = !other_major && loaded->version->part(1) < least->version.part(1);
    if (!older && !other_major) continue;
    // A preloaded other major does not help; CUL3001 or CUL3002 reports that the right one is missing.
    const std::string wanted = "libcudnn.so." + std::to_string(least->version.part(0));
    if (other_major && std::ranges::any_of(scenario.graph.requests, [&](const loader::Request& request) {
          return request.name == wanted && !request.error.empty();
        })) {
      continue;
    }
    const std::string directory(base::DirName(loaded->object->path));
    const std::string name = framework->name + " " + framework->version;
    report::Finding& finding = ruling.Fire(
        name + " " + least->words + " but loads " + loaded->version->ToString() + " from " + directory,
        loaded->object->path, {name, least->version.ToString()});
    finding.affects.push_back(scenario.title);
    finding.evidence.push_back({framework->name + " " + least->words, least->source});
    finding.evidence.push_back({loaded->object->path + " is " + loaded->version->ToString(), loaded->source});
    finding.evidence.push_back(
        {"found through " + FoundThrough(scenario.graph, loaded->object->path), loaded->object->path});
    // The sub-libraries follow the main library: if a variable forces that one, unset the variable.
    const auto forced = std::ranges::find_if(scenario.graph.objects, [&](const loader::Object& object) {
      const knowledge::Library* library = LibraryOf(object);
      return library != nullptr && library->family == "cudnn" && ForcedByVariable(scene, scenario, object);
    });
    if (forced != scenario.graph.objects.end()) {
      finding.fix = WithoutVariable(scene, *forced);
      continue;
    }
    const std::string cuda = base::Split(framework->cuda, '.').front();
    const CudnnChoice choice = ChooseCudnn(scene, least->version.part(0), cuda);
    if (cuda.empty()) {
      finding.fix = InstallForAll(scene, {least->version.ToString(), "", cuda, false}, directory);
    } else if (least->is_bound && !choice.build.empty()) {
      finding.fix = InstallInto(scene, *environment, choice);
    } else {
      finding.fix = Reinstall(scene, *environment, *framework, "nvidia-cudnn-cu" + cuda, least->version);
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL3006",
                           .name = "cudnn_older_than_compiled",
                           .family = Family::kCudnn,
                           .cause = "cudnn-version-mismatch",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "the loaded cuDNN is older than the one the framework was built against",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cudnn_older_than_compiled

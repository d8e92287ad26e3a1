#include "rules/kit/driver/driver_need.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "knowledge/arch.h"
#include "knowledge/driver.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/kit/recipe/recipe_builds.h"
#include "rules/kit/toolkit/toolkit_facts.h"
#include "rules/kit/toolkit/tools.h"

namespace culprit::rules {
namespace {

using base::Version;
using report::Runs;

// Whether the kernel module works with that libcuda, by the note in the file or else by NVIDIA's table.
HowItRuns WithCompat(const Scene& scene, const snapshot::DriverLibrary& compat, const Version& module) {
  const auto& branches = compat.compat_branches;
  const std::string words = "the cuda-compat libcuda " + compat.version;
  if (!branches.empty() && std::ranges::find(branches, module.part(0)) == branches.end())
    return {Runs::kNo, words + " does not work with driver branch " + std::to_string(module.part(0))};
  const auto own = Version::Parse(compat.version);
  const auto cuda = knowledge::CudaOfDriver(own ? *own : module, scene.platform()).cuda;
  const auto data_centre = SupportForwardCompatibility(scene);
  const auto answer = knowledge::ForwardCompat(module, cuda, data_centre, scene.platform());
  if (answer.verdict == knowledge::Verdict::kNo && (branches.empty() || data_centre == false))
    return {Runs::kNo, answer.why};
  if (data_centre == true && (answer.verdict == knowledge::Verdict::kYes || !branches.empty()))
    return {Runs::kByForwardCompatibility, ""};
  return {Runs::kUnknown, words + " works only on data-centre GPUs, and this GPU's kind is unknown"};
}

HowItRuns OfUser(const Scene& scene, const CudaUser& user, const snapshot::Driver& driver) {
  const DriverInUse in_use = DriverOf(scene, user.scenario, driver);
  const auto version = Version::Parse(in_use.version), module = ModuleVersion(driver);
  if (!version || !module) return {Runs::kUnknown, "the version of the driver is unknown"};
  const std::string release = FirstRelease(ReleaseOf(user.wanted.cuda));
  const auto answer = knowledge::DriverRunsCuda(*version, release, scene.platform());
  switch (answer.support) {
    case knowledge::DriverSupport::kNo: {
      if (user.compat.empty()) return {Runs::kNo, answer.why};
      const auto forward = ForwardCompatOf(scene, *version, user.compat);
      if (forward.verdict == knowledge::Verdict::kYes) return {Runs::kByForwardCompatibility, ""};
      if (forward.verdict == knowledge::Verdict::kUnknown) return {Runs::kUnknown, forward.why};
      return {Runs::kNo, answer.why};
    }
    case knowledge::DriverSupport::kUnknown:
      return {Runs::kUnknown, answer.why};
    case knowledge::DriverSupport::kYes:
    case knowledge::DriverSupport::kByMinorCompatibility:
      break;
  }
  if (in_use.compat != nullptr) return WithCompat(scene, *in_use.compat, *module);
  return {answer.support == knowledge::DriverSupport::kYes ? Runs::kYes : Runs::kByMinorVersion, ""};
}

// Whether a host is assumed for files in which nothing is that could be followed.
bool IsUsedByNothing(const Scene& scene) {
  const snapshot::Stack& stack = scene.stack();
  const bool framework =
      stack.environments && std::ranges::any_of(*stack.environments, [](const auto& environment) {
        return !environment.frameworks.empty();
      });
  return stack.driver && stack.driver->assumed && !framework && !stack.builds &&
         std::ranges::none_of(scene.scenarios, [](const loader::Scenario& scenario) {
           return scenario.kind == loader::Scenario::Kind::kProgram;
         });
}

void AddCudaItself(const Scene& scene, std::vector<CudaUser>& all) {
  const auto add = [&](std::string title, const std::string& cuda, const std::string& source) {
    if (!cuda.empty())
      all.push_back({.title = std::move(title), .wanted = {cuda, source}, .kind = CudaUser::Kind::kToolkit});
  };
  bool named = false;  // environments, so the toolkit beside them is not meant
  if (const auto& environments = scene.stack().environments) {
    for (const snapshot::PythonEnvironment& environment : *environments) {
      named |= environment.why == snapshot::EnvironmentWhy::kGiven;
      for (const snapshot::PythonPackage& package : environment.packages) {
        if (package.name.starts_with("nvidia-cuda-runtime"))
          add("code that uses " + package.name + " " + package.version, package.version, package.record);
      }
    }
  }
  const snapshot::Toolkit* toolkit = named ? nullptr : ChosenToolkit(scene).toolkit;
  if (toolkit != nullptr)
    add("code built with the toolkit in " + toolkit->root, toolkit->version, toolkit->source);
}

}  // namespace

knowledge::Answer ForwardCompatOf(const Scene& scene, const Version& driver, const std::string& cuda) {
  return knowledge::ForwardCompat(driver, cuda, SupportForwardCompatibility(scene), scene.platform());
}

std::vector<CudaUser> CudaUsers(const Scene& scene) {
  std::vector<CudaUser> all;
  if (scene.stack().recipes) {
    for (const PartView& view : Started(scene)) {
      for (const RecipeBuild& build : BuildsOf(view)) {
        if (build.cuda.empty()) continue;
        all.push_back({.title = build.title,
                       .wanted = {build.cuda, build.evidence.source},
                       .compat = build.compat,
                       .place = report::Origin{build.recipe->path, build.line},
                       .kind = build.framework.empty() ? CudaUser::Kind::kImage : CudaUser::Kind::kBuild});
      }
    }
    return all;
  }
  for (const loader::Scenario& scenario : scene.scenarios) {
    if (WantedCuda wanted = CudaOf(scene, scenario); !wanted.cuda.empty())
      all.push_back({scenario.title, std::move(wanted), &scenario});
  }
  for (const ToolUse& use : ToolUses(scene)) {
    const std::string cuda = use.row->always && !use.path.empty() ? CudaOfTool(scene, use) : "";
    if (cuda.empty() || std::ranges::find(all, use.user, &CudaUser::title) != all.end()) continue;
    all.push_back({use.user, {.cuda = cuda, .source = use.path}});
  }
  if (all.empty() && IsUsedByNothing(scene)) AddCudaItself(scene, all);
  return all;
}

DriverInUse DriverOf(const Scene& scene, const loader::Scenario* scenario, const snapshot::Driver& driver) {
  const auto loaded = scenario == nullptr ? std::nullopt : FindLoaded(scene, *scenario, "libcuda.so");
  if (!loaded || loaded->kind != snapshot::DriverLibraryKind::kCompat ||
      Version::Parse(loaded->version) <= ModuleVersion(driver))  // CUL1011 reports an older one
    return {*driver.kernel_version, driver.kernel_version.source};
  return {loaded->version, loaded->object->path, loaded->copy};
}

std::optional<bool> SupportForwardCompatibility(const Scene& scene) {
  std::optional<bool> all;
  for (const snapshot::Gpu* gpu : KnownGpus(scene)) {
    const auto capability = Version::Parse(gpu->compute_capability);
    const auto one = capability ? knowledge::IsDataCentreGpu(*capability, gpu->name) : std::nullopt;
    if (one != true) return one;
    all = one;
  }
  return all;
}

HowItRuns HowDriverRuns(const Scene& scene) {
  const auto& driver = scene.stack().driver;
  const std::vector<CudaUser> users = CudaUsers(scene);
  if (users.empty()) return {};
  if (!driver || !driver->kernel_version)
    return {Runs::kUnknown, "the host's driver is unknown; pass driver=VERSION"};
  if (!scene.stack().gpus) return {Runs::kUnknown, "the host's GPU is unknown; pass gpu=NAME"};
  HowItRuns worst;
  for (const CudaUser& user : users) {
    if (HowItRuns one = OfUser(scene, user, *driver); one.runs > worst.runs) worst = std::move(one);
  }
  return worst;
}

}  // namespace culprit::rules

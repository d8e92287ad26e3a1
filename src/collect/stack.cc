#include "collect/stack.h"

#include <array>
#include <exception>
#include <future>
#include <memory>

#include "base/parallel/in_time.h"
#include "collect/build/folder.h"
#include "collect/environment.h"
#include "collect/windows/facts.h"
#include "collect/windows/stack.h"

namespace culprit::collect {
namespace {

using PythonEnvironments = std::vector<snapshot::PythonEnvironment>;
using snapshot::Fact;
using snapshot::FactState;

// A collector running in parallel with the others. It shares only the surroundings with its starter, so it
// can be abandoned. A bug in a collector ends only that collector and is reported.
template <typename T>
class Running {
 public:
  template <typename Function>
  Running(std::string name, Function function) : name_(std::move(name)) {
    result_ = base::StartAside([function = std::move(function), name = name_] {
      try {
        return function();
      } catch (const std::exception& error) {
        return Fact<T>::Unreadable(std::string("internal error: ") + error.what(), name);
      }
    });
  }

  bool IsReady() const { return result_.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }

  Fact<T> Wait(std::chrono::steady_clock::time_point until) {
    if (result_.wait_until(until) == std::future_status::ready) return result_.get();
    return {FactState::kTimedOut, std::nullopt, "timed out; a file system may not be responding", name_};
  }

 private:
  std::string name_;
  std::future<Fact<T>> result_;
};

// The collectors of one platform.
struct Platform {
  Fact<snapshot::Driver> (*driver)(const Surroundings&);
  Fact<std::vector<snapshot::Gpu>> (*gpus)(const Surroundings&);
  Environments (*python)(const Surroundings&);
  Fact<snapshot::Toolkits> (*toolkits)(const Surroundings&, std::span<const snapshot::PythonEnvironment>);
  Fact<std::vector<snapshot::CudnnCopy>> (*cudnn)(const Surroundings&,
                                                  std::span<const snapshot::PythonEnvironment>);
  Fact<snapshot::Context> (*context)(const Surroundings&);
};

constexpr Platform kLinux = {CollectDriver,   CollectGpus,  CollectPython,
                             CollectToolkits, CollectCudnn, CollectContext};
constexpr Platform kWindows = {CollectWindowsDriver,   CollectWindowsGpus,  CollectWindowsPython,
                               CollectWindowsToolkits, CollectWindowsCudnn, CollectWindowsContext};

GpuCodes ReadGpuCodes(const Surroundings& around, const PythonEnvironments& environments) {
  // Of packages that bring a library for each CUDA one is used; which one is for the rules to say.
  constexpr size_t kMostRead = 4;
  LiveFileView view(around.system);
  GpuCodes codes;
  for (const snapshot::PythonEnvironment& environment : environments) {
    for (const snapshot::Framework& framework : environment.frameworks) {
      if (framework.libraries.size() > kMostRead) continue;
      for (const std::string& library : framework.libraries) codes.emplace(library, view.GpuCode(library));
    }
  }
  return codes;
}

}  // namespace

std::span<const CollectorInfo> Collectors(base::Platform platform) {
  static const std::array linux_table = {kDriverCollector,   kGpusCollector,  kPythonCollector,
                                         kToolkitsCollector, kCudnnCollector, kContextCollector};
  static const std::array windows_table = {
      kWindowsDriverCollector, kWindowsGpusCollector,    kWindowsPythonCollector, kWindowsToolkitsCollector,
      kWindowsCudnnCollector,  kWindowsContextCollector, kWindowsFactsCollector};
  if (platform == base::Platform::kWindows) return windows_table;
  return linux_table;
}

snapshot::Stack CollectStack(const Surroundings& around, std::chrono::milliseconds limit,
                             std::future<GpuCodes>* codes, const Meanwhile& meanwhile) {
  const auto start = std::chrono::steady_clock::now();
  const auto until = start + limit;
  const base::Platform platform = around.system.platform();
  const Platform collect = platform == base::Platform::kWindows ? kWindows : kLinux;
  Surroundings as_seen = around;
  as_seen.environment = EnvironmentOf(platform, around.environment);
  const auto shared = std::make_shared<const Surroundings>(std::move(as_seen));
  Running<PythonEnvironments> python("python", [=] {  // the longest way
    return shared->no_python ? Environments::Absent("not requested") : collect.python(*shared);
  });
  Running<snapshot::Driver> driver("driver", [=] { return collect.driver(*shared); });
  Running<std::vector<snapshot::Gpu>> gpus("gpus", [=] { return collect.gpus(*shared); });
  Running<snapshot::Context> context("context", [=] { return collect.context(*shared); });
  std::optional<Running<std::vector<snapshot::BuildFolder>>> builds;
  if (!shared->builds.empty()) builds.emplace("builds", [=] { return CollectBuilds(*shared); });

  snapshot::Stack stack;
  // Toolkits and cuDNN start when the environments are known, and must have time left when those hang.
  Environments found = python.Wait(start + limit * 3 / 4);
  const std::shared_ptr<const Environments> kept =
      meanwhile ? meanwhile(std::move(found)) : std::make_shared<const Environments>(std::move(found));
  const std::shared_ptr<const PythonEnvironments> environments =
      *kept ? std::shared_ptr<const PythonEnvironments>(kept, &**kept)
            : std::make_shared<const PythonEnvironments>();
  Running<snapshot::Toolkits> toolkits("toolkits", [=] { return collect.toolkits(*shared, *environments); });
  Running<std::vector<snapshot::CudnnCopy>> cudnn("cudnn", [=] {
    return shared->names_only ? Fact<std::vector<snapshot::CudnnCopy>>::Absent("not requested")
                              : collect.cudnn(*shared, *environments);
  });
  std::optional<Running<snapshot::WindowsFacts>> windows;
  if (platform == base::Platform::kWindows)
    windows.emplace("windows", [=] { return CollectWindows(*shared, *environments); });
  const bool gpus_are_known = gpus.IsReady();
  if (gpus_are_known) stack.gpus = gpus.Wait(until);
  const bool has_gpus = stack.gpus && !stack.gpus->empty();
  if (codes != nullptr && shared->owner != nullptr && has_gpus && !shared->names_only)
    *codes = base::StartAside([=] { return ReadGpuCodes(*shared, *environments); });
  stack.environments = *kept;
  stack.driver = driver.Wait(until);
  if (!gpus_are_known) stack.gpus = gpus.Wait(until);
  stack.toolkits = toolkits.Wait(until);
  stack.cudnn = cudnn.Wait(until);
  stack.context = context.Wait(until);
  if (windows) stack.windows = windows->Wait(until);
  if (builds) stack.builds = builds->Wait(until);
  return stack;
}

}  // namespace culprit::collect

#include "collect/stack.h"

#include <array>
#include <exception>
#include <future>
#include <memory>
#include <thread>

namespace culprit::collect {
namespace {

using snapshot::Fact;
using snapshot::FactState;

// A collector at work in its own thread. The thread shares nothing with its starter but the promise, so it
// can be abandoned. A bug in a collector ends that collector and is told as one.
template <typename T>
class Running {
 public:
  template <typename Function>
  Running(std::string name, Function function) : name_(std::move(name)) {
    std::promise<Fact<T>> promise;
    result_ = promise.get_future();
    std::thread([promise = std::move(promise), function = std::move(function), name = name_]() mutable {
      try {
        promise.set_value(function());
      } catch (const std::exception& error) {
        promise.set_value(Fact<T>::Unreadable(std::string("internal error: ") + error.what(), name));
      }
    }).detach();
  }

  Fact<T> Wait(std::chrono::steady_clock::time_point until) {
    if (result_.wait_until(until) == std::future_status::ready) return result_.get();
    return {FactState::kTimedOut, std::nullopt, "no answer in time: a file system that does not respond?",
            name_};
  }

 private:
  std::string name_;
  std::future<Fact<T>> result_;
};

}  // namespace

std::span<const CollectorInfo> Collectors() {
  static const std::array table = {kDriverCollector,   kGpusCollector,  kPythonCollector,
                                   kToolkitsCollector, kCudnnCollector, kContextCollector};
  return table;
}

snapshot::Stack CollectStack(const Surroundings& around, std::chrono::milliseconds limit) {
  const auto start = std::chrono::steady_clock::now();
  const auto until = start + limit;
  const auto shared = std::make_shared<const Surroundings>(around);
  Running<snapshot::Driver> driver("driver", [shared] { return CollectDriver(*shared); });
  Running<std::vector<snapshot::Gpu>> gpus("gpus", [shared] { return CollectGpus(*shared); });
  Running<snapshot::Context> context("context", [shared] { return CollectContext(*shared); });
  Running<std::vector<snapshot::PythonEnvironment>> python("python", [shared] {
    if (shared->no_python) return Fact<std::vector<snapshot::PythonEnvironment>>::Absent("not asked for");
    return CollectPython(*shared);
  });

  snapshot::Stack stack;
  // Toolkits and cuDNN start when the environments are known, and must have time left when those hang.
  stack.environments = python.Wait(start + limit * 3 / 4);
  const auto environments = std::make_shared<const std::vector<snapshot::PythonEnvironment>>(
      stack.environments ? *stack.environments : std::vector<snapshot::PythonEnvironment>());
  Running<snapshot::Toolkits> toolkits(
      "toolkits", [shared, environments] { return CollectToolkits(*shared, *environments); });
  Running<std::vector<snapshot::CudnnCopy>> cudnn(
      "cudnn", [shared, environments] { return CollectCudnn(*shared, *environments); });
  stack.driver = driver.Wait(until);
  stack.gpus = gpus.Wait(until);
  stack.toolkits = toolkits.Wait(until);
  stack.cudnn = cudnn.Wait(until);
  stack.context = context.Wait(until);
  return stack;
}

}  // namespace culprit::collect

#include "rules/kit/loading/gpu_loads.h"

#include <algorithm>

#include "base/python/package_name.h"
#include "base/text.h"
#include "base/version.h"
#include "rules/kit/python/asked.h"
#include "rules/kit/python/package_facts.h"

namespace culprit::rules {
namespace {

using base::BaseName;
using loader::Request;

// Whether a toolkit or cuDNN is installed, searched or not.
bool HasCuda(const Scene& scene) {
  return (scene.stack().toolkits && !scene.stack().toolkits->copies.empty()) ||
         (scene.stack().cudnn && !scene.stack().cudnn->empty());
}

// NVIDIA has packages for Python from CUDA 11 on. Before that, the libraries are those of a toolkit.
bool HasPackages(const std::string& cuda) {
  const auto version = base::Version::Parse(cuda);
  return !version || version->part(0) >= 11;
}

// Whether this failed load makes the framework fall back to the CPU: its CUDA provider and what that needs
// (onnxruntime), a library that its stubs open by name (tensorflow), cuBLAS (ctranslate2; on Linux CUL6019
// reports that).
bool CostsGpu(const Scene& scene, const loader::Scenario& scenario, size_t index) {
  const auto& requests = scenario.graph.requests;
  const snapshot::Framework* framework = scene.FrameworkOf(scenario);
  size_t opened = index;  // the dlopen that the request belongs to
  while (opened > 0 && requests[opened].opened_by == loader::OpenedBy::kNeeded) --opened;
  const Request& call = requests[opened];
  if (framework == nullptr || call.error.empty() || call.opened_by != loader::OpenedBy::kDlopen) return false;
  if (framework->name == "onnxruntime")
    return call.name.find("onnxruntime_providers_cuda.") != std::string::npos;
  if (framework->name == "ctranslate2") return scene.OnWindows() && call.name.starts_with("cublas64_");
  if (framework->name != "tensorflow" || call.requester == loader::kNone) return false;
  const std::string_view stubs = BaseName(scenario.graph.objects[call.requester].path);
  return stubs.starts_with("libtensorflow") || stubs.starts_with("_pywrap_tensorflow_internal.");
}

}  // namespace

// Losing the GPU counts as a failure if the GPU is meant to be used, that is, if some CUDA is installed. Of
// the libraries that TensorFlow's stubs open, only cuDNN counts, and only if nothing else is missing: CUL6011
// reports the others (except on Windows and before CUDA 11, where TensorFlow uses no CUDA packages).
bool LosesGpu(const Scene& scene, const loader::Scenario& scenario, size_t index) {
  if (!CostsGpu(scene, scenario, index) || GpuPresence(scene) == Presence::kNo) return false;
  if (scene.OnWindows() && HasCuda(scene)) return true;
  if (!HasPackages(scene.FrameworkOf(scenario)->cuda)) return true;
  bool cuda = scene.stack().toolkits && !scene.stack().toolkits->copies.empty(), only_cudnn = true;
  for (size_t i = 0; i < scenario.graph.requests.size(); ++i) {
    const Request& one = scenario.graph.requests[i];
    const knowledge::Library* library = knowledge::FindLibrary(BaseName(one.name));
    if (library == nullptr || library->family != "cuda") continue;
    const bool found = std::ranges::any_of(scenario.graph.requests, [&](const Request& other) {
      return other.name == one.name && other.error.empty();
    });
    cuda |= found;
    only_cudnn &= found || one.alternative || one.opened_by != loader::OpenedBy::kDlopen ||
                  !CostsGpu(scene, scenario, i);
  }
  return cuda && only_cudnn;
}

bool MayLoseGpu(const Scene& scene, const loader::Scenario& scenario) {
  const snapshot::Framework* framework = scene.FrameworkOf(scenario);
  if (framework == nullptr || framework->name != "onnxruntime" || GpuPresence(scene) != Presence::kUnknown ||
      TorchMayBring(scene, scenario))
    return false;
  for (size_t i = 0; i < scenario.graph.requests.size(); ++i) {
    const Request& request = scenario.graph.requests[i];
    const knowledge::Library* library = knowledge::FindLibrary(BaseName(request.name));
    const bool cuda = library != nullptr && (library->family == "cuda" || library->family == "cudnn");
    if (cuda && !request.error.empty() && CostsGpu(scene, scenario, i)) return !LosesGpu(scene, scenario, i);
  }
  return false;
}

bool TorchMayBring(const Scene& scene, const loader::Scenario& scenario) {
  const auto* environment = scene.EnvironmentOf(scenario);
  const auto* framework = scene.FrameworkOf(scenario);
  if (environment == nullptr || framework == nullptr) return false;
  const auto* torch = FindFramework(*environment, "torch");
  return torch != nullptr && torch != framework && !torch->cuda.empty();
}

bool NeededForGpu(const Scene& scene, const FailedLoad& failed) {
  const snapshot::Framework* framework = scene.FrameworkOf(*failed.scenario);
  if (framework == nullptr || GpuPresence(scene) != Presence::kYes) return false;
  const bool linked = failed.request->opened_by == loader::OpenedBy::kNeeded;
  if (framework->name == "onnxruntime")
    return !scene.OnWindows() && BaseName(failed.asker) == "libonnxruntime_providers_cuda.so" && linked;
  if (framework->name != "cupy" || failed.library == nullptr) return false;
  return linked ? failed.library->family == "cuda" : failed.library->name == "nvrtc";
}

bool MayBeFoundAllTheSame(const Scene& scene, const FailedLoad& failed) {
  if (failed.why != Why::kElsewhere) return false;
  const snapshot::Framework* framework = scene.FrameworkOf(*failed.scenario);
  if (framework->name == "cupy") return failed.request->opened_by == loader::OpenedBy::kDlopen;
  const auto* torch = FindFramework(*scene.EnvironmentOf(*failed.scenario), "torch");
  return torch != nullptr && !torch->cuda.empty() && MajorOf(torch->cuda) == MajorOf(framework->cuda);
}

bool NobodyLoads(const Scene& scene, const FailedLoad& failed) {
  const auto* environment = scene.EnvironmentOf(*failed.scenario);
  const auto* framework = scene.FrameworkOf(*failed.scenario);
  if (environment == nullptr || framework == nullptr || !framework->only_libraries ||
      failed.library == nullptr || failed.why != Why::kNowhere)
    return false;
  return std::ranges::all_of(failed.library->packages, [&](std::string_view package) {
    return AskedOf(scene, *environment, base::NormalName(package)).empty();
  });
}

}  // namespace culprit::rules

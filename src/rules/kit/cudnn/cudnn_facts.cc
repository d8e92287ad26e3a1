#include "rules/kit/cudnn/cudnn_facts.h"

#include <algorithm>

#include "base/text.h"
#include "base/windows/path.h"
#include "rules/kit/load_facts.h"
#include "rules/kit/load_fixes.h"

namespace culprit::rules {
namespace {

std::string Major(const std::string& version) { return base::Split(version, '.').front(); }

}  // namespace

bool LoadedCudnn::IsBundledShim() const {
  return IsShim() && base::BaseName(object->path).starts_with("libcudnn-");
}

std::vector<LoadedCudnn> CudnnOf(const Scene& scene, const loader::Scenario& scenario) {
  std::vector<LoadedCudnn> loaded;
  for (const loader::Object& object : scenario.graph.objects) {
    const knowledge::Library* library = LibraryOf(object);
    if (library == nullptr || library->family != "cudnn") continue;
    LoadedCudnn one{.object = &object, .library = library};
    if (const auto fact = scene.view.Version(object.path)) {
      one.version = base::Version::Parse(fact->version);
      one.source = fact.source;
    }
    if (one.version) one.version->parts.resize(3);
    loaded.push_back(std::move(one));
  }
  if (scenario.WasSeen()) {  // the real load order may be unknown
    const auto shim = std::ranges::find_if(loaded, &LoadedCudnn::IsShim);
    if (shim != loaded.end()) std::rotate(loaded.begin(), shim, shim + 1);
  }
  return loaded;
}

std::optional<LoadedCudnn> OneCudnnOf(const Scene& scene, const loader::Scenario& scenario) {
  std::optional<LoadedCudnn> first;
  for (LoadedCudnn& one : CudnnOf(scene, scenario)) {
    if (!one.version) continue;
    if (first && *first->version != *one.version) return std::nullopt;
    if (!first || first->IsShim()) first = std::move(one);
  }
  return first;
}

const snapshot::CudnnCopy* CopyOf(const Scene& scene, const std::string& path) {
  if (!scene.stack().cudnn) return nullptr;
  const std::string directory = scene.view.RealPath(std::string(base::DirName(path)));
  const std::string_view name = base::BaseName(path);
  for (const snapshot::CudnnCopy& copy : *scene.stack().cudnn) {
    if (scene.view.RealPath(copy.directory) != directory) continue;
    const std::string major = std::to_string(copy.major);
    const bool dll = scene.OnWindows() && base::FoldCase(name).ends_with("_" + major + ".dll");
    if (dll || name.find(".so." + major) != std::string_view::npos) return &copy;
  }
  return nullptr;
}

std::optional<CudnnForAnotherCuda> FindCudnnForAnotherCuda(const Scene& scene,
                                                           const loader::Scenario& scenario) {
  CudnnForAnotherCuda found;
  for (const LoadedCudnn& one : CudnnOf(scene, scenario)) {
    const auto fact = scene.view.Version(one.object->path);
    const snapshot::CudnnCopy* copy = CopyOf(scene, one.object->path);
    if (found.cudnn.empty()) found.cudnn = one.object->path;
    if (found.cudnn_cuda.empty() && copy != nullptr && !copy->cuda.empty()) {
      found.cudnn_cuda = Major(copy->cuda);
      found.cudnn_source = copy->cuda_source;
    }
    if (found.cudnn_cuda.empty() && fact && !fact->cuda.empty()) {
      found.cudnn_cuda = Major(fact->cuda);
      found.cudnn_source = fact.source;
    }
  }
  if (found.cudnn_cuda.empty()) return std::nullopt;
  // cuDNN links the CUDA runtime statically; a libcudart in the process belongs to the program.
  for (const loader::Object& object : scenario.graph.objects) {
    const knowledge::Library* library = LibraryOf(object);
    if (library == nullptr || library->name != "cudart") continue;
    const std::string soname =
        object.elf != nullptr && object.elf->soname ? *object.elf->soname : object.name;
    const std::string cuda = CudaOfSoname(*library, soname);
    if (cuda.empty()) continue;
    if (cuda == found.cudnn_cuda) return std::nullopt;  // one of several runtimes matches
    found.process_cuda = cuda;
    found.process_source = object.path;
  }
  const snapshot::Framework* framework = scene.FrameworkOf(scenario);
  if (found.process_cuda.empty() && framework != nullptr && !framework->cuda.empty()) {
    found.process_cuda = Major(framework->cuda);
    found.process_source = framework->source;
  }
  if (found.process_cuda.empty() || found.process_cuda == found.cudnn_cuda) return std::nullopt;
  return found;
}

bool IsOfToolkit(const Scene& scene, const FailedLoad& failed) {
  if (failed.library == nullptr || failed.IsCudnn() || failed.library->name == "nvrtc-builtins") return false;
  const knowledge::Library* asker = knowledge::FindLibrary(base::BaseName(failed.asker));
  const bool by_cudnn = asker != nullptr && asker->family == "cudnn";
  return !by_cudnn || !FindCudnnForAnotherCuda(scene, *failed.scenario);
}

}  // namespace culprit::rules

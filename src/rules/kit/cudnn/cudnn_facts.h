// What the rules about cuDNN ask of a process: which files of cuDNN it loads, of which versions, for which
// CUDA.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/version.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/rule.h"

namespace culprit::rules {

struct LoadedCudnn {
  const loader::Object* object = nullptr;
  const knowledge::Library* library = nullptr;
  std::optional<base::Version>
      version;         // three parts: the fourth is a build number that not every part tells
  std::string source;  // of the version

  bool IsShim() const { return library->name == "cudnn"; }
  // auditwheel copied the shim alone into a package (libcudnn-0a1b2c3d.so.9.1.0 of ctranslate2): it takes the
  // parts from wherever they are, by design.
  bool IsBundledShim() const;
};

// In load order; of a process that was seen the shim first.
std::vector<LoadedCudnn> CudnnOf(const Scene& scene, const loader::Scenario& scenario);

// The version that the process sees: that of the parts, which do the work. nullopt when none tells, or they
// differ.
std::optional<LoadedCudnn> OneCudnnOf(const Scene& scene, const loader::Scenario& scenario);

// The installed copy that a file belongs to; nullptr when the collector did not see it.
const snapshot::CudnnCopy* CopyOf(const Scene& scene, const std::string& path);

// A cuDNN made for one CUDA major in a process of another.
struct CudnnForAnotherCuda {
  std::string cudnn;         // path of the shim
  std::string cudnn_cuda;    // "13"
  std::string cudnn_source;  // how that is known
  std::string process_cuda;  // "12"
  std::string process_source;
};
std::optional<CudnnForAnotherCuda> FindCudnnForAnotherCuda(const Scene& scene,
                                                           const loader::Scenario& scenario);

// A CUDA library that only such a cuDNN asks for: CUL3005 speaks for it.
bool ExplainedByCudnnForAnotherCuda(const Scene& scene, const FailedLoad& failed);

}  // namespace culprit::rules

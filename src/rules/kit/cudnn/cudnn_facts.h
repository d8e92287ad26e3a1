// Which cuDNN files a process loads, in which versions, for which CUDA.
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
      version;         // three numbers: the fourth is a build number that not every sub-library has
  std::string source;  // of the version

  bool IsShim() const { return library->name == "cudnn"; }
  // auditwheel copied only the shim into a package (libcudnn-0a1b2c3d.so.9.1.0 of ctranslate2): it takes the
  // sub-libraries from elsewhere by design.
  bool IsBundledShim() const;
};

// In load order; for an observed process, the shim first.
std::vector<LoadedCudnn> CudnnOf(const Scene& scene, const loader::Scenario& scenario);

// The version that the process uses: that of the sub-libraries. nullopt if unknown or if they differ.
std::optional<LoadedCudnn> OneCudnnOf(const Scene& scene, const loader::Scenario& scenario);

// The installed copy that a file belongs to; nullptr if the collector did not find it.
const snapshot::CudnnCopy* CopyOf(const Scene& scene, const std::string& path);

// A cuDNN built for one CUDA major in a process that uses another.
struct CudnnForAnotherCuda {
  std::string cudnn;         // path of the shim
  std::string cudnn_cuda;    // "13"
  std::string cudnn_source;  // how that is known
  std::string process_cuda;  // "12"
  std::string process_source;
};
std::optional<CudnnForAnotherCuda> FindCudnnForAnotherCuda(const Scene& scene,
                                                           const loader::Scenario& scenario);

// Whether it is a library of the toolkit that the rules CUL4xxx report: not cuDNN, not the builtins of NVRTC,
// and not needed only by such a cuDNN, which CUL3005 reports.
bool IsOfToolkit(const Scene& scene, const FailedLoad& failed);

}  // namespace culprit::rules

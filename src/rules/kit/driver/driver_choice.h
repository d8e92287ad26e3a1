// Which driver to install: what the processes of a machine ask of it, and the versions that the tables name.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/version.h"
#include "rules/rule.h"

namespace culprit::rules {

// The CUDA release that a process runs on: of the runtime that it really loads; without one, what its
// framework says of itself.
struct WantedCuda {
  std::string cuda, source;  // "12.4.127"; "" none
};
WantedCuda CudaOf(const Scene& scene, const loader::Scenario& scenario);
// "12.4.127" -> "12.4": the third part of a library is no update number.
std::string ReleaseOf(const std::string& cuda);
// The first release of a major that stands alone, "13.0" of "13" (cupy-cuda13x, tensorrt-cu13): from CUDA 11
// on its driver runs the whole major. Another release as it is.
std::string FirstRelease(const std::string& release);

struct DriverChoice {
  std::string version;   // "" = the tables name none that serves
  std::string because;   // "CUDA 13.0"; "" when only the GPUs decide
  bool at_most = false;  // newer branches no longer drive a GPU of this machine
};
// The lowest driver of the tables that drives every GPU and runs the CUDA of every process natively, or by
// minor-version compatibility where none does; the newest that drives them where nothing asks for CUDA.
// `also` is one more condition.
DriverChoice ChooseDriver(const Scene& scene,
                          const std::function<bool(const base::Version&)>& also = nullptr);
// The same for a driver of Windows, which serves WSL.
DriverChoice ChooseWindowsDriver(const Scene& scene);

}  // namespace culprit::rules

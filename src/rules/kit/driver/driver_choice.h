// Which driver to install: what this machine's processes need, and the versions that the tables list.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/version.h"
#include "rules/rule.h"

namespace culprit::rules {

// The CUDA release that a process needs: that of the runtime it loads or has linked into it, or else the one
// its framework was built for.
struct WantedCuda {
  std::string cuda, source;  // "12.4.127"; "" if none
};
WantedCuda CudaOf(const Scene& scene, const loader::Scenario& scenario);
// Whether a process loads GPU code and neither asks for a CUDA library nor has the runtime inside: it opens
// what it needs in a way that nobody has read.
bool HidesRuntime(const Scene& scene, const loader::Scenario& scenario);
// "12.4.127" -> "12.4": the third part of a library's version is not an update number.
std::string ReleaseOf(const std::string& cuda);
// The first release of a bare major: "13" -> "13.0" (cupy-cuda13x, tensorrt-cu13). From CUDA 11 on, a driver
// for it runs the whole major. Other releases are returned unchanged.
std::string FirstRelease(const std::string& release);

struct DriverChoice {
  std::string version;   // "" if the tables list no suitable driver
  std::string because;   // "CUDA 13.0"; "" if only the GPUs matter
  bool at_most = false;  // newer branches no longer support a GPU of this machine
};
// The lowest driver of the tables that supports every GPU and the CUDA of every process, natively or else by
// minor-version compatibility. If nothing needs CUDA, the newest that supports the GPUs. `also` is one more
// condition.
DriverChoice ChooseDriver(const Scene& scene,
                          const std::function<bool(const base::Version&)>& also = nullptr);
// The same for a Windows driver, which WSL uses.
DriverChoice ChooseWindowsDriver(const Scene& scene);

}  // namespace culprit::rules

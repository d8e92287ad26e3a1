// The CUDA library files that a job opens, found by name in the directories of one toolkit or environment.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "snapshot/file_view.h"
#include "snapshot/snapshot.h"

namespace culprit::probe {

// For one CUDA major version. "" = none for this CPU.
struct CudaFiles {
  std::string cudart, nvrtc, nvrtc_builtins, cublas, cublaslt;
};

struct FoundCudaFiles {
  std::map<uint32_t, CudaFiles> by_major;
  std::string other_cpu;  // path of one for another CPU; "" = none
};
FoundCudaFiles FindCudaFiles(const snapshot::Snapshot& snapshot, snapshot::FileView& view,
                             const std::vector<std::string>& directories);

// The library directories of a toolkit, a conda prefix, or the packages in <site-packages>/nvidia.
std::vector<std::string> ToolkitDirectories(const snapshot::Snapshot& snapshot, snapshot::FileView& view,
                                            const std::string& root);
std::vector<std::string> PackageDirectories(const snapshot::Snapshot& snapshot, snapshot::FileView& view,
                                            const std::string& nvidia);

// "x86-64" or "aarch64", as in CudnnCopy::machine.
std::string ThisCpu(const snapshot::Snapshot& snapshot);
// As an argument of a program on that machine.
std::string Native(const snapshot::Snapshot& snapshot, const std::string& path);

}  // namespace culprit::probe

// The files of the CUDA libraries that a job is to open, found by name in the directories of one toolkit or
// environment.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "snapshot/file_view.h"
#include "snapshot/snapshot.h"

namespace culprit::probe {

// Of one major version of CUDA. "" = not there for this CPU.
struct CudaFiles {
  std::string cudart, nvrtc, nvrtc_builtins, cublas, cublaslt;
};

struct FoundCudaFiles {
  std::map<uint32_t, CudaFiles> by_major;
  std::string other_cpu;  // one that is for another CPU: its path; "" none
};
FoundCudaFiles FindCudaFiles(const snapshot::Snapshot& snapshot, snapshot::FileView& view,
                             const std::vector<std::string>& directories);

// Where the libraries of a toolkit, a conda prefix, or the packages below <site-packages>/nvidia lie.
std::vector<std::string> ToolkitDirectories(const snapshot::Snapshot& snapshot, snapshot::FileView& view,
                                            const std::string& root);
std::vector<std::string> PackageDirectories(const snapshot::Snapshot& snapshot, snapshot::FileView& view,
                                            const std::string& nvidia);

// "x86-64" and "aarch64", as CudnnCopy::machine says it.
std::string ThisCpu(const snapshot::Snapshot& snapshot);
// As an argument of a program on that machine.
std::string Native(const snapshot::Snapshot& snapshot, const std::string& path);

}  // namespace culprit::probe

// The CUDA runtime (libcudart.so.N, cudart64_N.dll), as far as culprit calls it.
#pragma once

#include <string>

#include "probe/cuda/function.h"

namespace culprit::cuda {

struct Cudart {
  Library library;
  Function<int(int*)> cudaRuntimeGetVersion;
  Function<int(int*)> cudaDriverGetVersion;
  Function<int(int*)> cudaGetDeviceCount;
  Function<const char*(int)> cudaGetErrorName;
  Function<const char*(int)> cudaGetErrorString;

  std::string StatusName(int status) const;
  std::string StatusText(int status) const;
};

Cudart OpenCudart(const std::string& name);

}  // namespace culprit::cuda

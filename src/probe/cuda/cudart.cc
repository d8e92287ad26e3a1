#include "probe/cuda/cudart.h"

namespace culprit::cuda {

std::string Cudart::StatusName(int status) const {
  const std::string name = cudaGetErrorName ? Text(cudaGetErrorName(status)) : "";
  return name.starts_with("cuda") ? name : "cudaError" + std::to_string(status);
}

std::string Cudart::StatusText(int status) const {
  return cudaGetErrorString ? Text(cudaGetErrorString(status)) : "";
}

Cudart OpenCudart(const std::string& name) {
  Cudart cudart;
  const Library library = cudart.library = Library::Open(name);
  cudart.cudaRuntimeGetVersion.Bind(library, "cudaRuntimeGetVersion");
  cudart.cudaDriverGetVersion.Bind(library, "cudaDriverGetVersion");
  cudart.cudaGetDeviceCount.Bind(library, "cudaGetDeviceCount");
  cudart.cudaGetErrorName.Bind(library, "cudaGetErrorName");
  cudart.cudaGetErrorString.Bind(library, "cudaGetErrorString");
  return cudart;
}

}  // namespace culprit::cuda

// Can this process use the cuDNN it was compiled for, or a newer one? First checks without loading it, then
// really uses it.
#include <cudnn.h>
#include <culprit/culprit.h>

#include <iostream>
#include <string>

int main() try {
  culprit::Wants wants;
  wants.cudnn = std::to_string(CUDNN_MAJOR) + "." + std::to_string(CUDNN_MINOR);
  const culprit::Readiness gpu = culprit::Preflight(wants);
  std::cout << gpu.line() << '\n';
  if (!gpu) return 1;
  std::cout << "cuDNN " << gpu.cudnn_version() << " in " << gpu.cudnn_path() << '\n';

  cudnnHandle_t handle = nullptr;
  CULPRIT_CUDNN(cudnnCreate(&handle));
  std::cout << "cudnnCreate works, version " << cudnnGetVersion() << '\n';
  CULPRIT_CUDNN(cudnnDestroy(handle));
} catch (const culprit::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}

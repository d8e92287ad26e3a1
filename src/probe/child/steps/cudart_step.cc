// The CUDA runtime: does this driver support it, and does it see a device?
#include "probe/child/step.h"
#include "probe/cuda/cudart.h"

namespace culprit::prober {

Outcome CudartStep(Session& session) {
  const cuda::Cudart cudart = cuda::OpenCudart(session.arguments().cudart);
  session.teller().TellNewLibraries();
  if (!cudart.library.opened()) return std::unexpected(cuda::NotOpened(cudart.library));
  int runtime = 0, driver = 0, count = 0;
  if (auto failure = Try(cudart, cudart.cudaRuntimeGetVersion, &runtime)) return std::unexpected(*failure);
  session.teller().Figure("runtime_cuda", cuda::CudaVersionText(runtime));
  if (auto failure = Try(cudart, cudart.cudaDriverGetVersion, &driver)) return std::unexpected(*failure);
  // 0: the runtime found no driver.
  session.teller().Figure("driver_cuda", driver == 0 ? "none" : cuda::CudaVersionText(driver));
  if (auto failure = Try(cudart, cudart.cudaGetDeviceCount, &count)) {
    failure->detail += "; the runtime is CUDA " + cuda::CudaVersionText(runtime) +
                       (driver == 0 ? ", and finds no driver"
                                    : ", the driver supports CUDA " + cuda::CudaVersionText(driver));
    return std::unexpected(*failure);
  }
  session.teller().Figure("cuda_devices", std::to_string(count));
  if (count == 0) return std::unexpected(Failure{"cudaErrorNoDevice", "cudaGetDeviceCount", ""});
  return "CUDA " + cuda::CudaVersionText(runtime) + " on a driver for CUDA " + cuda::CudaVersionText(driver);
}

}  // namespace culprit::prober

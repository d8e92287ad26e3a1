#include "probe/child/session.h"

namespace culprit::prober {

const std::optional<Failure>& Session::Do(Once& once, const std::function<std::optional<Failure>()>& work) {
  if (!once.tried) {
    once.tried = true;
    once.failure = work();
  }
  return once.failure;
}

std::optional<Failure> Session::OpenDriver() {
  return Do(driver_once_, [this]() -> std::optional<Failure> {
    driver_ = cuda::OpenDriver();
    if (!driver_.library.opened()) return cuda::NotOpened(driver_.library);
    return std::nullopt;
  });
}

std::optional<Failure> Session::Init() {
  if (auto failure = OpenDriver()) return failure;
  return Do(init_once_, [this] { return Try(driver_, driver_.cuInit, 0U); });
}

std::optional<Failure> Session::PickDevice() {
  if (auto failure = Init()) return failure;
  return Do(device_once_, [this]() -> std::optional<Failure> {
    int count = 0;
    if (auto failure = Try(driver_, driver_.cuDeviceGetCount, &count)) return failure;
    if (arguments_.device >= count) {
      return Failure{OwnStatus::kNoSuchDevice, "cuDeviceGetCount",
                     "device " + std::to_string(arguments_.device) + " was requested, CUDA shows " +
                         std::to_string(count)};
    }
    return Try(driver_, driver_.cuDeviceGet, &device_, arguments_.device);
  });
}

std::optional<Failure> Session::MakeContext() {
  if (auto failure = PickDevice()) return failure;
  return Do(context_once_, [this]() -> std::optional<Failure> {
    if (auto failure = Try(driver_, driver_.cuDevicePrimaryCtxRetain, &context_, device_)) return failure;
    return Try(driver_, driver_.cuCtxSetCurrent, context_);
  });
}

std::optional<Failure> Session::StartNvml() {
  return Do(nvml_once_, [this] {
    nvml_ = cuda::OpenNvml();
    return cuda::StartNvml(nvml_, nvml_facts_);
  });
}

std::optional<Failure> Session::Preload() {
  for (const std::string& file : arguments_.preload) {
    const cuda::Library library = cuda::Library::Open(file, true);
    if (!library.opened()) return cuda::NotOpened(library);
  }
  return std::nullopt;
}

std::optional<Failure> Session::OpenCudnn() {
  return Do(cudnn_once_, [this]() -> std::optional<Failure> {
    if (auto failure = Preload()) return failure;
    cudnn_ = cuda::OpenCudnn(arguments_.cudnn);
    if (!cudnn_.library.opened()) return cuda::NotOpened(cudnn_.library);
    return std::nullopt;
  });
}

std::optional<Failure> Session::CreateCudnn() {
  // Reports an unusable device as such, not as the resulting cuDNN error.
  if (auto failure = OpenCudnn()) return failure;
  if (auto failure = MakeContext()) return failure;
  return Do(handle_once_, [this] { return Try(cudnn_, cudnn_.cudnnCreate, &cudnn_handle_); });
}

}  // namespace culprit::prober

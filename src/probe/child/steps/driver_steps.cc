// The driver's library, NVML and cuInit, each on its own, and what the two of them count.
#include <cstdlib>

#include "probe/child/step.h"

namespace culprit::prober {
namespace {

std::string Devices(int count) { return std::to_string(count) + (count == 1 ? " device" : " devices"); }

std::string VisibleDevices() {
  const char* value = std::getenv("CUDA_VISIBLE_DEVICES");
  return value == nullptr ? "" : std::string(", with CUDA_VISIBLE_DEVICES=") + value;
}

}  // namespace

Outcome LibcudaStep(Session& session) {
  if (auto failure = session.OpenDriver()) return std::unexpected(*failure);
  return session.driver().library.path();
}

Outcome NvmlStep(Session& session) {
  if (auto failure = session.StartNvml()) return std::unexpected(*failure);
  const cuda::NvmlFacts& facts = session.nvml_facts();
  Teller& teller = session.teller();
  if (!facts.driver_version.empty()) teller.Figure("driver_version", facts.driver_version);
  if (!facts.driver_cuda.empty()) teller.Figure("driver_cuda", facts.driver_cuda);
  teller.Figure("nvml_devices", std::to_string(facts.devices));
  return "driver " + facts.driver_version + ", " + Devices(static_cast<int>(facts.devices));
}

Outcome InitStep(Session& session) {
  Teller& teller = session.teller();
  const auto failure = session.Init();
  const cuda::Driver& driver = session.driver();
  std::string version;
  if (int number = 0; driver.library.opened() && !Try(driver, driver.cuDriverGetVersion, &number)) {
    version = cuda::CudaVersionText(number);
    teller.Figure("driver_cuda", version);
  }
  const bool nvml = !session.StartNvml();
  const int nvml_devices = static_cast<int>(session.nvml_facts().devices);
  if (nvml) {
    if (!session.nvml_facts().driver_version.empty()) {
      teller.Figure("driver_version", session.nvml_facts().driver_version);
    }
    teller.Figure("nvml_devices", std::to_string(nvml_devices));
  }
  if (failure) {
    Failure told = *failure;
    if (nvml) {
      told.detail +=
          (told.detail.empty() ? "" : "; ") + ("NVML shows " + Devices(nvml_devices)) + VisibleDevices();
    }
    return std::unexpected(told);
  }
  int count = 0;
  if (auto counted = Try(driver, driver.cuDeviceGetCount, &count)) return std::unexpected(*counted);
  teller.Figure("cuda_devices", std::to_string(count));
  std::string detail = "CUDA " + version + ", " + Devices(count);
  if (nvml && nvml_devices != count) {
    detail += "; NVML shows " + std::to_string(nvml_devices) + VisibleDevices();
  }
  if (count == 0) return std::unexpected(Failure{"CUDA_ERROR_NO_DEVICE", "cuDeviceGetCount", detail});
  return detail;
}

}  // namespace culprit::prober

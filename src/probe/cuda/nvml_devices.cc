// The devices that NVML shows. Most questions may be answered with "not supported": then the fact is unknown.
#include <algorithm>
#include <cstring>
#include <iterator>

#include "probe/cuda/nvml.h"

namespace culprit::cuda {
namespace {

using TextQuestion = Function<int(void*, char*, unsigned)>;

std::string AskText(const Nvml& nvml, const TextQuestion& question, void* handle) {
  char text[128] = {};
  if (Try(nvml, question, handle, text, unsigned{sizeof(text) - 1})) return "";
  return text;
}

// False: there is no such question. The list may grow between the question for its length and that for
// itself.
template <typename Process, typename Question>
bool AddHolders(const Question& question, NvmlDevice& device) {
  constexpr int kInsufficientSize = 7;
  if (!question) return false;
  std::vector<Process> processes(64);
  for (int attempt = 0; attempt < 4; ++attempt) {
    auto count = static_cast<unsigned>(processes.size());
    const int status = question(device.handle, &count, processes.data());
    if (status == kInsufficientSize) {
      processes.resize(std::min<size_t>(size_t{count} + 64, 65536));
      continue;
    }
    if (status != 0) return true;
    processes.resize(std::min<size_t>(count, processes.size()));
    for (const Process& process : processes) {
      const uint64_t bytes = process.bytes == ~0ULL ? 0 : process.bytes;  // "not available"
      const auto known = std::ranges::find(device.holders, uint64_t{process.pid}, &NvmlDevice::Holder::pid);
      if (known == device.holders.end()) {
        device.holders.push_back({process.pid, bytes});
      } else {
        known->bytes = std::max(known->bytes, bytes);
      }
    }
    return true;
  }
  return true;
}

void AskMode(const Nvml& nvml, NvmlDevice& device) {
  if (int mode = 0; !Try(nvml, nvml.nvmlDeviceGetComputeMode, device.handle, &mode)) {
    device.compute_mode = base::ComputeModeOf(mode);
  }
  int current = 0, pending = 0;
  if (!Try(nvml, nvml.nvmlDeviceGetEccMode, device.handle, &current, &pending)) {
    device.ecc = base::SwitchOf(current != 0);
    constexpr int kUncorrected = 1, kSinceDriverLoaded = 0;
    unsigned long long errors = 0;
    if (current != 0 && !Try(nvml, nvml.nvmlDeviceGetTotalEccErrors, device.handle, kUncorrected,
                             kSinceDriverLoaded, &errors)) {
      device.ecc_errors = std::to_string(errors);
    }
  }
  if (!Try(nvml, nvml.nvmlDeviceGetDriverModel, device.handle, &current, &pending)) {
    device.driver_model = current == 0 ? "WDDM" : current == 1 ? "TCC" : current == 2 ? "MCDM" : "";
  }
}

void AskIdentity(const Nvml& nvml, NvmlDevice& device) {
  device.name = AskText(nvml, nvml.nvmlDeviceGetName, device.handle);
  device.uuid = AskText(nvml, nvml.nvmlDeviceGetUUID, device.handle);
  NvmlMemory memory;
  if (!Try(nvml, nvml.nvmlDeviceGetMemoryInfo, device.handle, &memory)) {
    device.memory_total = memory.total;
    device.memory_free = memory.free;
  }
  if (!AddHolders<NvmlProcess>(nvml.nvmlDeviceGetComputeRunningProcesses, device)) {
    AddHolders<NvmlProcess1>(nvml.nvmlDeviceGetComputeRunningProcesses1, device);
  }
  if (!AddHolders<NvmlProcess>(nvml.nvmlDeviceGetGraphicsRunningProcesses, device)) {
    AddHolders<NvmlProcess1>(nvml.nvmlDeviceGetGraphicsRunningProcesses1, device);
  }
}

NvmlDevice AskDevice(const Nvml& nvml, unsigned index, void* handle) {
  NvmlDevice device;
  device.index = index;
  device.handle = handle;
  AskIdentity(nvml, device);
  if (NvmlPci pci; !Try(nvml, nvml.nvmlDeviceGetPciInfo, handle, &pci)) {
    device.bus_id.assign(pci.bus_id, strnlen(pci.bus_id, sizeof(pci.bus_id)));
  }
  if (int major = 0, minor = 0; !Try(nvml, nvml.nvmlDeviceGetCudaComputeCapability, handle, &major, &minor)) {
    device.compute_capability = std::to_string(major) + "." + std::to_string(minor);
  }
  if (unsigned current = 0, pending = 0; !Try(nvml, nvml.nvmlDeviceGetMigMode, handle, &current, &pending)) {
    device.mig = base::SwitchOf(current != 0);
  }
  AskMode(nvml, device);
  return device;
}

std::vector<NvmlDevice> Instances(const Nvml& nvml, const NvmlDevice& whole) {
  std::vector<NvmlDevice> instances;
  unsigned most = 0;
  if (whole.mig != base::Switch::kOn || Try(nvml, nvml.nvmlDeviceGetMaxMigDeviceCount, whole.handle, &most))
    return {};
  for (unsigned i = 0; i < std::min(most, 64U); ++i) {
    void* handle = nullptr;
    if (Try(nvml, nvml.nvmlDeviceGetMigDeviceHandleByIndex, whole.handle, i, &handle)) continue;
    NvmlDevice instance = whole;
    instance.handle = handle;
    instance.instance = true;
    instance.holders.clear();
    AskIdentity(nvml, instance);
    if (instance.name.empty()) instance.name = whole.name;
    instances.push_back(std::move(instance));
  }
  return instances;
}

}  // namespace

std::vector<NvmlDevice> NvmlDevices(const Nvml& nvml, unsigned count) {
  std::vector<NvmlDevice> devices;
  for (unsigned index = 0; index < std::min(count, 1024U); ++index) {
    void* handle = nullptr;
    if (Try(nvml, nvml.nvmlDeviceGetHandleByIndex, index, &handle)) continue;
    const NvmlDevice whole = AskDevice(nvml, index, handle);
    std::vector<NvmlDevice> instances = Instances(nvml, whole);
    if (instances.empty()) instances.push_back(whole);
    std::ranges::move(instances, std::back_inserter(devices));
  }
  return devices;
}

}  // namespace culprit::cuda

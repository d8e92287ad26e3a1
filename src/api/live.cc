#include "api/live.h"

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>

#include "probe/cuda/driver.h"

namespace culprit::api {
namespace {

// Loaded once and never unloaded.
const cuda::Driver& TheDriver() {
  static const cuda::Driver& driver = *new cuda::Driver(cuda::OpenDriver());
  return driver;
}

struct LiveNvml {
  cuda::Nvml nvml = cuda::OpenNvml();
  cuda::NvmlFacts facts;
  bool works = !cuda::StartNvml(nvml, facts);
};
const LiveNvml& TheNvml() {
  static const LiveNvml& nvml = *new LiveNvml;
  return nvml;
}

std::vector<cuda::NvmlDevice> AskNvml() {
  const LiveNvml& live = TheNvml();
  return live.works ? cuda::NvmlDevices(live.nvml, live.facts.devices) : std::vector<cuda::NvmlDevice>();
}

// CUDA's UUID has no prefix; NVML's starts with "GPU-" or "MIG-".
const cuda::NvmlDevice* FindByUuid(const std::vector<cuda::NvmlDevice>& devices, const std::string& uuid) {
  for (const cuda::NvmlDevice& device : devices) {
    if (!uuid.empty() && device.uuid.ends_with(uuid)) return &device;
  }
  return nullptr;
}

std::string UuidOf(const cuda::Driver& driver, int handle) {
  cuda::Uuid uuid;
  return Try(driver, driver.cuDeviceGetUuid, &uuid, handle) ? "" : cuda::UuidText(uuid);
}

// In its own thread, because it makes a context current.
std::optional<cuda::Failure> InContext(const cuda::Driver& driver, int handle,
                                       std::optional<cuda::Failure> (*work)(const cuda::Driver&, void*),
                                       void* result) {
  std::optional<cuda::Failure> failure;
  std::thread([&] {
    void* context = nullptr;
    if ((failure = Try(driver, driver.cuDevicePrimaryCtxRetain, &context, handle))) return;
    failure = Try(driver, driver.cuCtxSetCurrent, context);
    if (!failure) failure = work(driver, result);
    Try(driver, driver.cuCtxSetCurrent, static_cast<void*>(nullptr));
    Try(driver, driver.cuDevicePrimaryCtxRelease, handle);
  }).join();
  return failure;
}

std::optional<cuda::Failure> AskFree(const cuda::Driver& driver, void* result) {
  size_t total = 0;
  return Try(driver, driver.cuMemGetInfo, static_cast<size_t*>(result), &total);
}

Device Describe(const cuda::Driver& driver, int index, int handle) {
  Device device{.index = index};
  char text[256] = {};
  if (!Try(driver, driver.cuDeviceGetName, text, int{sizeof(text) - 1}, handle)) device.name = text;
  char bus[32] = {};
  if (!Try(driver, driver.cuDeviceGetPCIBusId, bus, int{sizeof(bus) - 1}, handle)) device.bus_id = bus;
  device.uuid = UuidOf(driver, handle);
  Try(driver, driver.cuDeviceGetAttribute, &device.major, cuda::Driver::kCapabilityMajor, handle);
  Try(driver, driver.cuDeviceGetAttribute, &device.minor, cuda::Driver::kCapabilityMinor, handle);
  size_t total = 0;
  if (!Try(driver, driver.cuDeviceTotalMem, &total, handle)) device.memory_total = total;
  return device;
}

std::optional<cuda::Failure> Start(const cuda::Driver& driver) {
  if (!driver.library.opened()) return cuda::NotOpened(driver.library);
  return Try(driver, driver.cuInit, 0U);
}

std::optional<cuda::Failure> AddDevices(const cuda::Driver& driver, bool memory_anyway, LiveDriver& live) {
  int count = 0;
  if (auto failure = Try(driver, driver.cuDeviceGetCount, &count)) return failure;
  if (count <= 0) return cuda::Failure{"CUDA_ERROR_NO_DEVICE", "cuDeviceGetCount", "no device"};
  for (int index = 0; index < std::min(count, 1024); ++index) {
    int handle = 0;
    if (auto failure = Try(driver, driver.cuDeviceGet, &handle, index)) return failure;
    Device device = Describe(driver, index, handle);
    if (const cuda::NvmlDevice* known = FindByUuid(live.nvml, device.uuid)) {
      device.uuid = known->uuid;
      // NVML includes what the driver reserves for itself; a MIG instance has its own total.
      if (known->memory_total > 0) {
        device.memory_total = known->memory_total;
        device.memory_free = known->memory_free;
      }
    } else if (!device.uuid.empty()) {
      device.uuid.insert(0, "GPU-");
    }
    size_t free = 0;
    if (!device.memory_free && memory_anyway && !InContext(driver, handle, AskFree, &free)) {
      device.memory_free = free;
    }
    live.devices.push_back(std::move(device));
  }
  return std::nullopt;
}

// out[i] = i * 2654435761 for 32 threads. PTX 6.0 for sm_50: drivers since CUDA 9 compile it for any GPU.
constexpr unsigned kThreads = 32;
constexpr unsigned kFactor = 2654435761U;
constexpr char kKernel[] = R"(.version 6.0
.target sm_50
.address_size 64
.visible .entry culprit_proof(.param .u64 out)
{
  .reg .b32 %r<3>;
  .reg .b64 %a<4>;
  ld.param.u64 %a1, [out];
  cvta.to.global.u64 %a1, %a1;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %a2, %r1, 4;
  add.u64 %a3, %a1, %a2;
  mul.lo.u32 %r2, %r1, 2654435761;
  st.global.u32 [%a3], %r2;
  ret;
}
)";

std::optional<cuda::Failure> Launch(const cuda::Driver& driver, void* module, cuda::DevicePointer memory) {
  void* function = nullptr;
  if (auto failure = Try(driver, driver.cuModuleGetFunction, &function, module, "culprit_proof"))
    return failure;
  void* parameters[] = {&memory};
  if (auto failure = Try(driver, driver.cuLaunchKernel, function, 1U, 1U, 1U, kThreads, 1U, 1U, 0U,
                         static_cast<void*>(nullptr), parameters, static_cast<void**>(nullptr)))
    return failure;
  if (auto failure = Try(driver, driver.cuCtxSynchronize)) return failure;
  unsigned out[kThreads] = {};
  if (auto failure = Try(driver, driver.cuMemcpyDtoH, out, memory, sizeof(out))) return failure;
  for (unsigned i = 0; i < kThreads; ++i) {
    if (out[i] != i * kFactor) {
      return cuda::Failure{"wrong-result", "cuLaunchKernel", "a kernel ran but computed a wrong result"};
    }
  }
  return std::nullopt;
}

std::optional<cuda::Failure> RunKernel(const cuda::Driver& driver, void*) {
  void* module = nullptr;
  if (auto failure = Try(driver, driver.cuModuleLoadDataEx, &module, kKernel, 0U, static_cast<int*>(nullptr),
                         static_cast<void**>(nullptr)))
    return failure;
  cuda::DevicePointer memory = 0;
  auto failure = Try(driver, driver.cuMemAlloc, &memory, kThreads * sizeof(unsigned));
  if (!failure) {
    failure = Launch(driver, module, memory);
    Try(driver, driver.cuMemFree, memory);
  }
  Try(driver, driver.cuModuleUnload, module);
  return failure;
}

// The function tables of the libraries are made once, and NVML's answers are combined from several queries.
std::mutex& TheMutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

}  // namespace

LiveDriver LookAtDriver(bool memory_anyway) {
  const std::lock_guard lock(TheMutex());
  const cuda::Driver& driver = TheDriver();
  LiveDriver live;
  live.failure = Start(driver);
  if (driver.library.opened()) {
    live.nvml = AskNvml();
    live.driver_version = TheNvml().facts.driver_version;
    Try(driver, driver.cuDriverGetVersion, &live.cuda_version);
  }
  if (!live.failure) live.failure = AddDevices(driver, memory_anyway, live);
  if (live.failure) live.devices.clear();
  return live;
}

std::optional<cuda::Failure> ProveDevice(int index) {
  const std::lock_guard lock(TheMutex());
  const cuda::Driver& driver = TheDriver();
  if (auto failure = Start(driver)) return failure;
  int handle = 0;
  if (auto failure = Try(driver, driver.cuDeviceGet, &handle, index)) return failure;
  return InContext(driver, handle, RunKernel, nullptr);
}

std::optional<MemoryState> MemoryOfCurrentDevice() {
  const std::lock_guard lock(TheMutex());
  const cuda::Driver& driver = TheDriver();
  if (Start(driver)) return std::nullopt;
  int handle = 0;
  const auto current = reinterpret_cast<int (*)(int*)>(driver.library.Find("cuCtxGetDevice"));
  if (current == nullptr || current(&handle) != 0) {
    if (Try(driver, driver.cuDeviceGet, &handle, 0)) return std::nullopt;  // no context yet
  }
  const std::vector<cuda::NvmlDevice> devices = AskNvml();
  const cuda::NvmlDevice* device = FindByUuid(devices, UuidOf(driver, handle));
  if (device == nullptr || device->memory_total == 0) return std::nullopt;
  // In all existing drivers CUdevice is the index, but only by convention.
  return MemoryState{.index = handle, .device = *device};
}

}  // namespace culprit::api

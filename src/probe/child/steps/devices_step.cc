// Every device that CUDA or NVML shows, the two joined by UUID (by the place on the bus where there is none).
// Also when CUDA does not start: then NVML alone tells what there is.
#include <algorithm>
#include <cctype>

#include "probe/child/process_name.h"
#include "probe/child/step.h"

namespace culprit::prober {
namespace {

struct CudaDevice {
  int index = 0;
  std::string name, uuid, bus_id, compute_capability;
  base::ComputeMode compute_mode = base::ComputeMode::kUnknown;
  base::Switch ecc = base::Switch::kUnknown;
  uint64_t memory_total = 0;
};

CudaDevice AskCuda(const cuda::Driver& driver, int index, int device) {
  CudaDevice told;
  told.index = index;
  char text[256] = {};
  constexpr int kRoom = sizeof(text) - 1;
  if (!Try(driver, driver.cuDeviceGetName, text, kRoom, device)) told.name = text;
  if (cuda::Uuid uuid; !Try(driver, driver.cuDeviceGetUuid, &uuid, device)) {
    told.uuid = cuda::UuidText(uuid);
  }
  text[0] = '\0';
  if (!Try(driver, driver.cuDeviceGetPCIBusId, text, kRoom, device)) told.bus_id = text;
  const auto attribute = [&](int which, int& value) {
    return !Try(driver, driver.cuDeviceGetAttribute, &value, which, device);
  };
  int major = 0, minor = 0, value = 0;
  if (attribute(cuda::Driver::kCapabilityMajor, major) && attribute(cuda::Driver::kCapabilityMinor, minor)) {
    told.compute_capability = std::to_string(major) + "." + std::to_string(minor);
  }
  if (attribute(cuda::Driver::kComputeMode, value)) told.compute_mode = base::ComputeModeOf(value);
  if (attribute(cuda::Driver::kEccEnabled, value)) told.ecc = base::SwitchOf(value != 0);
  if (size_t bytes = 0; !Try(driver, driver.cuDeviceTotalMem, &bytes, device)) told.memory_total = bytes;
  return told;
}

// NVML writes the domain with eight digits, CUDA with four, and letters as each likes.
std::string PlaceOnBus(const std::string& bus_id) {
  std::string place = bus_id.substr(bus_id.size() - std::min<size_t>(bus_id.size(), 12));
  for (char& c : place) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return place;
}

bool AreOne(const CudaDevice& cuda, const cuda::NvmlDevice& nvml) {
  if (!cuda.uuid.empty() && !nvml.uuid.empty()) {
    const size_t prefix = nvml.uuid.find('-');  // "GPU-", "MIG-"
    return prefix != std::string::npos && nvml.uuid.substr(prefix + 1) == cuda.uuid;
  }
  return !nvml.instance && !cuda.bus_id.empty() && PlaceOnBus(cuda.bus_id) == PlaceOnBus(nvml.bus_id);
}

void TellHolders(Session& session, const cuda::NvmlDevice& device) {
  for (const auto& holder : device.holders) {
    if (holder.pid == OwnProcess()) continue;
    session.teller().Say("holder",
                         {std::to_string(holder.pid), std::to_string(holder.bytes), ProcessName(holder.pid)});
  }
}

// The first one that is known.
template <typename T>
T Either(const T& first, const T& second) {
  return first == T{} ? second : first;
}

void Tell(Session& session, const CudaDevice* cuda, const cuda::NvmlDevice* nvml) {
  static const CudaDevice no_cuda;
  static const cuda::NvmlDevice no_nvml;
  Teller& teller = session.teller();
  teller.Say("device", {cuda != nullptr ? std::to_string(cuda->index) : "-",
                        nvml != nullptr ? std::to_string(nvml->index) : "-"});
  const CudaDevice& c = cuda != nullptr ? *cuda : no_cuda;
  const cuda::NvmlDevice& n = nvml != nullptr ? *nvml : no_nvml;
  teller.Fact("name", Either(c.name, n.name));
  teller.Fact("uuid", Either(n.uuid, c.uuid.empty() ? std::string() : "GPU-" + c.uuid));
  teller.Fact("bus_id", Either(n.bus_id, c.bus_id));
  teller.Fact("compute_capability", Either(c.compute_capability, n.compute_capability));
  const uint64_t total = n.memory_total != 0 ? n.memory_total : c.memory_total;
  if (total != 0) teller.Fact("memory_total", std::to_string(total));
  if (n.memory_total != 0) teller.Fact("memory_free", std::to_string(n.memory_free));
  teller.Fact("compute_mode", base::Word(Either(n.compute_mode, c.compute_mode)));
  teller.Fact("mig", base::Word(n.mig));
  teller.Fact("ecc", base::Word(Either(n.ecc, c.ecc)));
  teller.Fact("ecc_errors", n.ecc_errors);
  teller.Fact("driver_model", n.driver_model);
  TellHolders(session, n);
}

}  // namespace

Outcome DevicesStep(Session& session) {
  std::vector<cuda::NvmlDevice> by_nvml;
  if (!session.StartNvml()) by_nvml = cuda::NvmlDevices(session.nvml(), session.nvml_facts().devices);

  std::optional<Failure> failure = session.Init();
  const cuda::Driver& driver = session.driver();
  int count = 0;
  if (!failure) failure = Try(driver, driver.cuDeviceGetCount, &count);
  std::vector<bool> joined(by_nvml.size());
  for (int index = 0; !failure && index < std::min(count, 1024); ++index) {
    int device = 0;
    if ((failure = Try(driver, driver.cuDeviceGet, &device, index))) break;
    const CudaDevice cuda = AskCuda(driver, index, device);
    const auto same =
        std::ranges::find_if(by_nvml, [&cuda](const cuda::NvmlDevice& nvml) { return AreOne(cuda, nvml); });
    if (same != by_nvml.end()) joined[static_cast<size_t>(same - by_nvml.begin())] = true;
    Tell(session, &cuda, same != by_nvml.end() ? &*same : nullptr);
  }
  for (size_t i = 0; i < by_nvml.size(); ++i) {
    if (!joined[i]) Tell(session, nullptr, &by_nvml[i]);
  }
  if (failure) return std::unexpected(*failure);
  if (count == 0) return std::unexpected(Failure{"CUDA_ERROR_NO_DEVICE", "cuDeviceGetCount", ""});
  return "";
}

}  // namespace culprit::prober

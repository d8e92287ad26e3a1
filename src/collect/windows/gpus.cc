// Collector of the GPUs on Windows, from the registry. Services\nvlddmkm\Enum lives as long as Windows runs
// and lists the devices that NVIDIA's driver holds now; each leads to its key below Enum\PCI and from there
// to the display class, which has the name. The class alone also remembers cards that were taken out, so it
// is used only where the first is missing, and says so.
//
// AdapterType of the class key is 1 for WDDM and 2 for TCC. NVIDIA documents only nvidia-smi; that value is
// what the published scripts which switch a Tesla to WDDM set. It is what the driver is asked to be at its
// next start.
#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"
#include "base/windows/path.h"
#include "collect/linux/driver_parts.h"
#include "collect/windows/places.h"
#include "collect/windows/stack.h"
#include "knowledge/gpu_ids.h"

namespace culprit::collect {
namespace {

using snapshot::Gpu;
using Gpus = snapshot::Fact<std::vector<Gpu>>;

constexpr size_t kMostAdapters = 64;

constexpr std::array<std::string_view, 3> kWindowsGpusReads = {
    "HKLM/SYSTEM/CurrentControlSet/Services/nvlddmkm/Enum",
    "HKLM/SYSTEM/CurrentControlSet/Enum/PCI/*/*",
    "HKLM/SYSTEM/CurrentControlSet/Control/Class/{4d36e968-e325-11ce-bfc1-08002be10318}/*",
};

constexpr char kDevices[] = "HKLM/SYSTEM/CurrentControlSet/Enum";
constexpr char kHeld[] = "HKLM/SYSTEM/CurrentControlSet/Services/nvlddmkm/Enum";
constexpr char kClasses[] = "HKLM/SYSTEM/CurrentControlSet/Control/Class";
constexpr char kDisplayAdapters[] =
    "HKLM/SYSTEM/CurrentControlSet/Control/Class/{4d36e968-e325-11ce-bfc1-08002be10318}";

// "PCI\VEN_10DE&DEV_2684&SUBSYS_..." -> "2684"; "" for a device of somebody else.
std::string DeviceIdOf(std::string_view hardware_id) {
  const std::string id = base::FoldCase(hardware_id);
  constexpr std::string_view kDevice = "&dev_";
  const size_t at = id.find(kDevice);
  if (id.find("ven_10de") == std::string::npos || at == std::string::npos) return "";
  const std::string device = id.substr(at + kDevice.size(), 4);
  return device.size() == 4 && device.find_first_not_of("0123456789abcdef") == std::string::npos ? device
                                                                                                 : "";
}

// "PCI bus 1, device 0, function 0", also as a resource with the numbers behind it: "...;(1,0,0)".
std::string BusIdOf(std::string_view location) {
  const size_t open = location.rfind('(');
  std::vector<uint32_t> numbers;
  for (const std::string& word :
       base::SplitWords(open == std::string_view::npos ? location : location.substr(open), " ,()")) {
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error == std::errc() && end == word.data() + word.size()) numbers.push_back(number);
  }
  if (numbers.size() != 3 || numbers[0] > 0xff || numbers[1] > 0x1f || numbers[2] > 7) return "";
  const auto hex = [](uint32_t number) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    return std::string{kDigits[number >> 4 & 15], kDigits[number & 15]};
  };
  return "0000:" + hex(numbers[0]) + ":" + hex(numbers[1]) + "." + std::to_string(numbers[2]);
}

void AddWhatTheClassSays(const system::RegistryKey& adapter, Gpu& gpu) {
  if (const std::string name = RegistryValue(adapter, "DriverDesc"); !name.empty()) gpu.name = name;
  if (gpu.device_id.empty()) gpu.device_id = DeviceIdOf(RegistryValue(adapter, "MatchingDeviceId"));
  const std::string type = RegistryValue(adapter, "AdapterType");
  gpu.driver_model = type == "1" ? "WDDM" : type == "2" ? "TCC" : "";
}

// One of the devices that the driver holds: "PCI\VEN_10DE&DEV_2684&SUBSYS_...\4&1d81e16&0&0008".
Gpu HeldGpu(const system::System& system, const std::string& instance, const std::string& number) {
  std::string path = instance;
  std::ranges::replace(path, '\\', '/');
  Gpu gpu{.device_id = DeviceIdOf(instance),
          .bound_to = "nvidia",
          .minor = number,
          .source = base::JoinPath(kDevices, path)};
  const auto device = system.ReadRegistry(gpu.source);
  if (!device) return gpu;
  gpu.bus_id = BusIdOf(RegistryValue(*device, "LocationInformation"));
  // "@oem3.inf,%nvidia_dev.2684%;NVIDIA GeForce RTX 4090"
  const std::string described = RegistryValue(*device, "DeviceDesc");
  gpu.name = described.substr(described.find(';') + 1);
  std::string driver = RegistryValue(*device, "Driver");  // "{4d36e968-...}\0000"
  std::ranges::replace(driver, '\\', '/');
  if (driver.empty()) return gpu;
  if (const auto adapter = system.ReadRegistry(base::JoinPath(kClasses, driver)))
    AddWhatTheClassSays(*adapter, gpu);
  return gpu;
}

std::vector<Gpu> RememberedGpus(const system::System& system, const system::RegistryKey& display) {
  std::vector<Gpu> gpus;
  for (const std::string& name : display.keys) {
    const std::string path = base::JoinPath(kDisplayAdapters, name);
    const auto adapter = system.ReadRegistry(path);
    if (!adapter || gpus.size() == kMostAdapters) continue;
    Gpu gpu{.source = path + " (it also lists cards that were removed)"};
    AddWhatTheClassSays(*adapter, gpu);
    if (!gpu.device_id.empty()) gpus.push_back(std::move(gpu));
  }
  return gpus;
}

}  // namespace

const CollectorInfo kWindowsGpusCollector = {"gpus", kWindowsGpusReads};

Gpus CollectWindowsGpus(const Surroundings& around) {
  if (around.host_unseen) return Gpus::NotApplicable(std::string(kHostUnseen));
  const system::System& system = around.system;
  std::vector<Gpu> gpus;
  std::string source = kHeld;
  if (const auto held = system.ReadRegistry(kHeld)) {
    for (const auto& [name, instance] : held->values) {
      const bool number = !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
      if (number && !DeviceIdOf(instance).empty() && gpus.size() < kMostAdapters)
        gpus.push_back(HeldGpu(system, instance, name));
    }
  } else {
    source = kDisplayAdapters;
    const auto display = system.ReadRegistry(kDisplayAdapters);
    if (display) {
      gpus = RememberedGpus(system, *display);
    } else if (display.error() != base::PathError::kNoEntry) {
      return Gpus::Unreadable("the registry is not available", kDisplayAdapters);
    }
  }
  for (Gpu& gpu : gpus) AddChip(gpu);
  return Gpus::Of(std::move(gpus), source);
}

}  // namespace culprit::collect

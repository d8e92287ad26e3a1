// Collector of the GPUs: the PCI bus says which there are and which kernel driver holds each, the NVIDIA
// driver adds name, UUID and device number. A GPU that the driver does not hold is known by its PCI id alone.
#include <array>
#include <charconv>
#include <map>
#include <optional>

#include "base/text.h"
#include "collect/linux/container.h"
#include "collect/linux/driver_parts.h"
#include "collect/linux/virtual_machine.h"
#include "collect/small_file.h"
#include "collect/stack.h"
#include "knowledge/gpu_ids.h"

namespace culprit::collect {
namespace {

using base::JoinPath;
using snapshot::Fact;
using snapshot::Gpu;
using Gpus = Fact<std::vector<Gpu>>;

constexpr std::array<std::string_view, 16> kGpuReads = {
    "/sys/bus/pci/devices/*/vendor",
    "/sys/bus/pci/devices/*/class",
    "/sys/bus/pci/devices/*/device",
    "/sys/bus/pci/devices/*/driver",
    "/proc/driver/nvidia/gpus/*/information",
    "/proc/sys/kernel/osrelease",
    "/proc/device-tree/compatible",
    "/proc/1/cgroup",
    "/proc/self/mountinfo",
    "/dev/dxg",
    "/etc/nv_tegra_release",
    "/usr/share/misc/pci.ids",
    "/usr/share/hwdata/pci.ids",
    "/.dockerenv",
    "/.singularity.d",
    "/run/.containerenv",
};

constexpr char kBus[] = "/sys/bus/pci/devices";
constexpr char kDriverGpus[] = "/proc/driver/nvidia/gpus";

// "0x2335" -> "2335".
std::string Hex(const std::string& text) { return text.starts_with("0x") ? text.substr(2) : ""; }

// "Model: \t\t NVIDIA H200" and so on, one a line.
void AddWhatTheDriverSays(const std::string& text, Gpu& gpu) {
  for (const std::string& line : base::Split(text, '\n')) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string_view key = base::Trim(std::string_view(line).substr(0, colon));
    const std::string value(base::Trim(std::string_view(line).substr(colon + 1)));
    if (key == "Model" && value != "Unknown") gpu.name = value;
    if (key == "GPU UUID" && value.find('?') == std::string::npos) gpu.uuid = value;
    if (key == "Device Minor") gpu.minor = value;
  }
}

// The name that the list of the PCI SIG's ids gives: "GH100 [H200 SXM 141GB]".
std::string NameOfId(const system::System& system, const std::string& device) {
  for (const char* path : {"/usr/share/misc/pci.ids", "/usr/share/hwdata/pci.ids"}) {
    const auto text = system::ReadWholeFile(system, path, uint64_t{8} << 20);
    if (!text) continue;
    const size_t vendor = text->find("\n10de  ");
    if (vendor == std::string::npos) continue;
    const size_t entry = text->find("\n\t" + device + "  ", vendor);
    size_t end = text->find('\n', vendor + 1);  // of the vendor: the next line without a tab, comments aside
    while (end != std::string::npos && end + 1 < text->size() &&
           ((*text)[end + 1] == '\t' || (*text)[end + 1] == '#')) {
      end = text->find('\n', end + 1);
    }
    if (entry == std::string::npos || entry > end) continue;
    const size_t start = entry + device.size() + 4;
    return std::string(base::Trim(text->substr(start, text->find('\n', start) - start)));
  }
  return "";
}

// GPUs that the driver holds, by bus id.
std::map<std::string, Gpu> DriverGpus(const system::System& system) {
  std::map<std::string, Gpu> gpus;
  const auto entries = system.List(kDriverGpus);
  if (!entries) return gpus;
  for (const auto& entry : *entries) {
    const auto text = ReadSmallFile(system, JoinPath(kDriverGpus, entry.name + "/information"));
    if (!text) continue;
    Gpu gpu{.bus_id = entry.name, .source = text.source};
    AddWhatTheDriverSays(*text, gpu);
    gpu.virtual_gpu = IsVirtualGpuName(gpu.name);
    gpus.emplace(entry.name, std::move(gpu));
  }
  return gpus;
}

// Display controllers of NVIDIA: VGA (0300), 3D (0302) and other (0380) ones.
std::map<std::string, Gpu> BusGpus(const system::System& system,
                                   const std::vector<system::DirectoryEntry>& devices) {
  std::map<std::string, Gpu> gpus;
  for (const auto& device : devices) {
    const std::string path = JoinPath(kBus, device.name);
    if (FirstLine(ReadSmallFile(system, path + "/vendor")) != "0x10de") continue;
    if (!FirstLine(ReadSmallFile(system, path + "/class")).starts_with("0x03")) continue;
    Gpu gpu{.bus_id = device.name,
            .device_id = Hex(FirstLine(ReadSmallFile(system, path + "/device"))),
            .source = path};
    if (const auto driver = system.ReadLink(path + "/driver")) gpu.bound_to = base::BaseName(*driver);
    gpus.emplace(device.name, std::move(gpu));
  }
  return gpus;
}

// The GPU of a Jetson is a part of its chip, which the device tree names.
std::optional<Gpu> JetsonGpu(const system::System& system) {
  static constexpr std::array<std::array<std::string_view, 3>, 5> kChips = {
      {{"nvidia,tegra210", "GM20B", "5.3"},
       {"nvidia,tegra186", "GP10B", "6.2"},
       {"nvidia,tegra194", "GV11B", "7.2"},
       {"nvidia,tegra234", "GA10B", "8.7"},
       {"nvidia,tegra264", "GB10B", "11.0"}}};
  const auto text = ReadSmallFile(system, "/proc/device-tree/compatible");
  if (!text) return std::nullopt;
  for (const std::string& word : base::Split(*text, '\0')) {
    for (const auto& [compatible, chip, capability] : kChips) {
      if (word != compatible) continue;
      return Gpu{.name = std::string(chip) + " of " + word.substr(7),
                 .chip = std::string(chip),
                 .compute_capability = std::string(capability),
                 .source = text.source};
    }
  }
  return std::nullopt;
}

Gpus WhyNoBus(const Surroundings& around) {
  if (IsWsl(around)) {
    return Gpus::Unreadable("WSL shows no GPU on the PCI bus; it is behind /dev/dxg", kBus);
  }
  if (around.system.Stat("/etc/nv_tegra_release")) {
    if (const auto gpu = JetsonGpu(around.system)) return Gpus::Of({*gpu}, gpu->source);
    return Gpus::Unreadable("the GPU of a Jetson is not on the PCI bus", "/etc/nv_tegra_release");
  }
  if (around.system.Stat("/sys/bus")) return Gpus::Of({}, "/sys/bus");
  return Gpus::Unreadable("/sys does not exist", kBus);
}

}  // namespace

// What the table of PCI ids knows.
void AddChip(snapshot::Gpu& gpu) {
  uint32_t id = 0;
  const char* const end = gpu.device_id.data() + gpu.device_id.size();
  if (gpu.device_id.empty() || std::from_chars(gpu.device_id.data(), end, id, 16).ptr != end) return;
  if (const knowledge::GpuChip* chip = knowledge::FindGpuChip(id)) {
    gpu.chip = chip->name;
    gpu.compute_capability = chip->cc;
  }
}

const CollectorInfo kGpusCollector = {"gpus", kGpuReads};

Gpus CollectGpus(const Surroundings& around) {
  if (around.host_unseen) return Gpus::NotApplicable(std::string(kHostUnseen));
  std::map<std::string, Gpu> known = DriverGpus(around.system);
  const auto devices = around.system.List(kBus);
  std::map<std::string, Gpu> on_bus;
  if (devices) on_bus = BusGpus(around.system, *devices);
  if (known.empty() && on_bus.empty() &&
      (!devices || IsWsl(around) || around.system.Stat("/etc/nv_tegra_release"))) {
    return WhyNoBus(around);
  }
  // /sys shows a container all GPUs of the host; those that it was given stand in the driver's list.
  const bool only_given = !known.empty() && !FindContainer(around).runtime.empty();
  for (auto& [bus_id, gpu] : on_bus) {
    const auto found = known.find(bus_id);
    if (found != known.end()) {
      found->second.device_id = gpu.device_id;
      found->second.bound_to = gpu.bound_to;
    } else if (!only_given) {
      gpu.name = NameOfId(around.system, gpu.device_id);
      known.emplace(bus_id, std::move(gpu));
    }
  }
  std::vector<Gpu> gpus;
  for (auto& [bus_id, gpu] : known) {
    AddChip(gpu);
    gpus.push_back(std::move(gpu));
  }
  return Gpus::Of(std::move(gpus), devices ? kBus : kDriverGpus);
}

}  // namespace culprit::collect

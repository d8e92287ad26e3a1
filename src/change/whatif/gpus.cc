#include "change/whatif/gpus.h"

#include <charconv>
#include <set>

#include "base/text.h"
#include "base/version.h"
#include "knowledge/arch.h"
#include "knowledge/gpu_ids.h"

namespace culprit::whatif {
namespace {

using base::JoinPath;

constexpr const char* kBus = "/sys/bus/pci/devices";
constexpr const char* kList = "/proc/driver/nvidia/gpus";

std::string Line(const system::System& machine, const std::string& path) {
  const auto text = system::ReadWholeFile(machine, path, 4096);
  return text ? std::string(base::Trim(*text)) : "";
}

std::string CapabilityOf(std::string_view device_id) {
  uint32_t id = 0;
  if (!device_id.starts_with("0x")) return "";
  const char* const end = device_id.data() + device_id.size();
  if (std::from_chars(device_id.data() + 2, end, id, 16).ptr != end) return "";
  const knowledge::GpuChip* chip = knowledge::FindGpuChip(id);
  return chip == nullptr ? "" : std::string(chip->cc);
}

}  // namespace

std::vector<BusGpu> GpusOnBus(const system::System& machine) {
  std::vector<BusGpu> gpus;
  const auto devices = machine.List(kBus);
  if (!devices) return gpus;
  for (const auto& device : *devices) {
    const std::string path = JoinPath(kBus, device.name);
    if (Line(machine, path + "/vendor") != "0x10de") continue;
    if (!Line(machine, path + "/class").starts_with("0x03")) continue;
    BusGpu gpu{device.name, "", CapabilityOf(Line(machine, path + "/device"))};
    if (const auto driver = machine.ReadLink(path + "/driver")) gpu.bound_to = base::BaseName(*driver);
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

bool MayDrive(std::string_view driver, const BusGpu& gpu) {
  const auto version = base::Version::Parse(driver);
  const auto capability = base::Version::Parse(gpu.compute_capability);
  if (!version || !capability) return true;
  const knowledge::Capability* row = knowledge::FindCapability(*capability);
  if (row != nullptr && row->first_driver_branch > version->part(0)) return false;
  return knowledge::DriverDrives(*version, *capability).verdict != knowledge::Verdict::kNo;
}

report::PutLink Bind(const std::string& bus_id, const std::string& driver) {
  return {JoinPath(kBus, bus_id) + "/driver", "../../../bus/pci/drivers/" + driver};
}

std::vector<report::Change> DriversList(const system::System& machine, const std::vector<BusGpu>& gpus) {
  std::vector<report::Change> steps;
  std::set<std::string> held, listed;
  for (const BusGpu& gpu : gpus) held.insert(gpu.bus_id);
  if (const auto entries = machine.List(kList)) {
    for (const auto& entry : *entries) {
      listed.insert(entry.name);
      if (!held.contains(entry.name)) steps.push_back(report::RemoveFile{JoinPath(kList, entry.name)});
    }
  }
  size_t minor = listed.size();
  for (const BusGpu& gpu : gpus) {
    if (listed.contains(gpu.bus_id)) continue;
    steps.push_back(report::PutText{JoinPath(kList, gpu.bus_id) + "/information",
                                    "Model: \t\t Unknown\nBus Location: \t " + gpu.bus_id +
                                        "\nDevice Minor: \t " + std::to_string(minor++) + "\n"});
  }
  return steps;
}

}  // namespace culprit::whatif

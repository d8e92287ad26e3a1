// The kernel side of the driver: modules, which driver holds a GPU, services, MIG instances. The files are
// those that collect/driver_kernel, driver_devices and gpus read.
#include <algorithm>

#include "base/text.h"
#include "change/whatif/gpus.h"
#include "change/whatif/steps.h"

namespace culprit::whatif {
namespace {

using base::JoinPath;
using report::Change;

constexpr const char* kModules = "/proc/modules";
constexpr uint64_t kLimit = 1 << 20;

std::string TextOf(const system::System& machine, const std::string& path) {
  const auto text = system::ReadWholeFile(machine, path, kLimit);
  return text ? *text : "";
}

// In the list of modules and in /sys, under the name that the kernel gives it.
void List(const system::System& machine, const std::string& name, std::vector<Change>& steps) {
  const std::string text = TextOf(machine, kModules);
  const bool listed = text.starts_with(name + " ") || text.find("\n" + name + " ") != std::string::npos;
  if (!listed) steps.push_back(report::PutText{kModules, name + " 1 0 - Live 0x0\n" + text});
  steps.push_back(report::PutText{"/sys/module/" + name + "/initstate", "live\n"});
}

// The line of the driver names its kind (open or not), which a new version keeps.
std::string VersionText(const system::System& machine, const std::string& version) {
  const std::string old = TextOf(machine, "/proc/driver/nvidia/version");
  const bool open = old.find("Open Kernel Module") != std::string::npos;
  const std::string cpu = machine.HostCpu().machine == "aarch64" ? "aarch64" : "x86_64";
  return open ? "NVRM version: NVIDIA UNIX Open Kernel Module for " + cpu + "  " + version +
                    "  Release Build\n"
              : "NVRM version: NVIDIA UNIX " + cpu + " Kernel Module  " + version + "\n";
}

}  // namespace

Changes Make(const system::System& machine, const report::LoadModule& change) {
  std::string name = change.name;
  std::ranges::replace(name, '-', '_');
  std::vector<Change> steps;
  List(machine, name, steps);
  if (name != "nvidia") return InSteps(machine, steps);
  if (change.version.empty())
    return base::Fail(base::ErrorCode::kUnsupported, "the version of the module to load is not known");
  steps.push_back(report::PutText{"/sys/module/nvidia/version", change.version + "\n"});
  steps.push_back(report::PutText{"/proc/driver/nvidia/version", VersionText(machine, change.version)});
  if (!machine.Stat("/proc/driver/nvidia/params"))
    steps.push_back(report::PutText{"/proc/driver/nvidia/params", "ModifyDeviceFiles: 1\n"});
  std::vector<BusGpu> held;
  for (const BusGpu& gpu : GpusOnBus(machine)) {
    const bool ours = gpu.bound_to.empty() || gpu.bound_to == "nvidia";
    if (!ours || !MayDrive(change.version, gpu)) continue;
    if (gpu.bound_to.empty()) steps.emplace_back(Bind(gpu.bus_id, "nvidia"));
    held.push_back(gpu);
  }
  for (Change& step : DriversList(machine, held)) steps.push_back(std::move(step));
  return InSteps(machine, steps);
}

Changes Make(const system::System& machine, const report::BindGpu& change) {
  return InSteps(machine, std::vector<Change>{Bind(change.bus_id, change.driver)});
}

Changes Make(const system::System& machine, const report::MakeComputeInstance& change) {
  const std::string instance = "/proc/driver/nvidia/capabilities/" + change.instance;
  if (!machine.Stat(instance))
    return base::Fail(base::ErrorCode::kNotFound, "there is no GPU instance " + change.instance);
  return InSteps(machine,
                 std::vector<Change>{report::PutText{instance + "/ci0/access", "DeviceFileMinor: 0\n"}});
}

Changes Make(const system::System& machine, const report::StartProcess& change) {
  if (change.name == "nvidia-persistenced")
    return Make(machine, report::PutDevice{.path = "/run/nvidia-persistenced/socket"});
  // The process of the service has another name than the service.
  const std::string name = change.name == "nvidia-fabricmanager" ? "nv-fabricmanager" : change.name;
  uint64_t free = 1;
  while (machine.Stat("/proc/" + std::to_string(free))) ++free;
  return Make(machine, report::PutText{"/proc/" + std::to_string(free) + "/comm", name.substr(0, 15) + "\n"});
}

}  // namespace culprit::whatif

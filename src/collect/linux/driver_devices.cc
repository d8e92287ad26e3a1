// Device nodes of the driver and whether this user may open them (asked, never tried: opening a GPU's node
// wakes the GPU), and the two services that matter: the fabric manager, without which CUDA does not start on
// machines with NVSwitch, and the persistence daemon.
#include <array>

#include "base/text.h"
#include "collect/linux/container.h"
#include "collect/linux/driver_parts.h"
#include "collect/small_file.h"

namespace culprit::collect {
namespace {

using base::JoinPath;
using snapshot::DeviceNode;
using snapshot::Fact;
using system::FileType;

constexpr size_t kMostNodes = 1024;
constexpr size_t kMostProcesses = 16384;

// "video" for 44, from /etc/group; the number where it is not listed.
std::string GroupName(const std::string& groups, uint32_t number) {
  for (const std::string& line : base::Split(groups, '\n')) {
    const std::vector<std::string> fields = base::Split(line, ':');
    if (fields.size() >= 3 && fields[2] == std::to_string(number)) return fields[0];
  }
  return std::to_string(number);
}

void AddNode(const system::System& system, const std::string& path, const std::string& groups,
             std::vector<DeviceNode>& nodes) {
  if (nodes.size() >= kMostNodes) return;
  const auto status = system.Stat(path);
  if (!status) return;
  const auto access = system.Access(path, system::Rights::kReadAndWrite);
  nodes.push_back({.path = path,
                   .not_a_device = status->type != FileType::kOther,
                   .denied = !access && access.error() == base::PathError::kAccess,
                   .mode = status->mode,
                   .group = GroupName(groups, status->group)});
}

// NVSwitches by PCI id: V100, A100, H100 generations. Those of Blackwell are not on the PCI bus of the
// machine.
constexpr std::array<std::string_view, 3> kSwitchIds = {"0x1ac2", "0x1af1", "0x22a3"};

bool SeesSwitch(const system::System& system) {
  if (const auto entries = system.List("/dev")) {
    for (const auto& entry : *entries) {
      if (entry.name.starts_with("nvidia-nvswitch") && entry.name != "nvidia-nvswitchctl") return true;
    }
  }
  const std::string root = "/sys/bus/pci/devices";
  const auto devices = system.List(root);
  if (!devices) return false;
  for (const auto& device : *devices) {
    const std::string path = JoinPath(root, device.name);
    if (FirstLine(ReadSmallFile(system, path + "/vendor")) != "0x10de") continue;
    const std::string id = FirstLine(ReadSmallFile(system, path + "/device"));
    for (const std::string_view known : kSwitchIds) {
      if (id == known) return true;
    }
  }
  return false;
}

// The kernel keeps 15 letters of a process's name.
Fact<bool> IsRunning(const system::System& system, std::string_view name) {
  const auto entries = system.List("/proc");
  if (!entries) return Fact<bool>::Unreadable(std::string(base::Strerror(entries.error())), "/proc");
  if (!ReadSmallFile(system, "/proc/1/comm")) {
    return Fact<bool>::Unreadable("processes of other users are hidden", "/proc/1/comm");
  }
  size_t looked_at = 0;
  for (const auto& entry : *entries) {
    if (!base::IsNumber(entry.name)) continue;
    if (++looked_at > kMostProcesses) return Fact<bool>::Unreadable("too many processes", "/proc");
    if (FirstLine(ReadSmallFile(system, "/proc/" + entry.name + "/comm")) == name.substr(0, 15)) {
      return Fact<bool>::Of(true, "/proc/" + entry.name + "/comm");
    }
  }
  return Fact<bool>::Of(false, "/proc/*/comm");
}

}  // namespace

Fact<std::vector<DeviceNode>> CollectDeviceNodes(const Surroundings& around) {
  using Nodes = Fact<std::vector<DeviceNode>>;
  if (around.host_unseen) return Nodes::NotApplicable(std::string(kHostUnseen));
  const auto entries = around.system.List("/dev");
  if (!entries) return Nodes::Unreadable(std::string(base::Strerror(entries.error())), "/dev");
  const auto groups_file = ReadSmallFile(around.system, "/etc/group");
  const std::string groups = groups_file ? *groups_file : "";
  std::vector<DeviceNode> nodes;
  for (const auto& entry : *entries) {
    const std::string path = JoinPath("/dev", entry.name);
    if (entry.name == "nvidia-caps" && entry.type == FileType::kDirectory) {
      const auto capabilities = around.system.List(path);
      if (!capabilities) continue;
      for (const auto& node : *capabilities) AddNode(around.system, JoinPath(path, node.name), groups, nodes);
    } else if (entry.name == "dxg" || entry.name.starts_with("nvidia")) {
      AddNode(around.system, path, groups, nodes);
    }
  }
  return Nodes::Of(std::move(nodes), "/dev");
}

Fact<bool> CollectFabricManager(const Surroundings& around) {
  if (around.host_unseen) return Fact<bool>::NotApplicable(std::string(kHostUnseen));
  if (!SeesSwitch(around.system)) return Fact<bool>::NotApplicable("no NVSwitch found");
  if (const Container container = FindContainer(around); !container.runtime.empty()) {
    const std::string socket = "/run/nvidia-fabricmanager/socket";  // the runtime mounts it
    if (around.system.Stat(socket)) return Fact<bool>::Of(true, socket);
    return Fact<bool>::Unreadable("the host's processes are not visible inside a container",
                                  container.source);
  }
  return IsRunning(around.system, "nv-fabricmanager");
}

Fact<bool> CollectPersistence(const Surroundings& around) {
  if (around.host_unseen) return Fact<bool>::NotApplicable(std::string(kHostUnseen));
  const std::string socket = "/run/nvidia-persistenced/socket";
  const auto status = around.system.Stat(socket);
  if (status) return Fact<bool>::Of(true, socket);
  if (status.error() != base::PathError::kNoEntry) {
    return Fact<bool>::Unreadable(std::string(base::Strerror(status.error())), socket);
  }
  return Fact<bool>::Of(false, socket);
}

}  // namespace culprit::collect

// The parts of the driver collector, one file each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "collect/stack.h"

namespace culprit::collect {

// Says that the host was not inspected.
inline constexpr std::string_view kHostUnseen = "host unknown; pass --host";

// driver_kernel.cc: the loaded module, the modules on disk, parameters, MIG.
void CollectKernelSide(const Surroundings& around, snapshot::Driver& driver);
// "NVRM version: ..." of /proc/driver/nvidia/version: "580.95.05" and "open" or "proprietary".
struct ModuleVersion {
  std::string version, flavor;
};
ModuleVersion ParseNvrmVersion(std::string_view text);

// driver_modprobe.cc: what keeps modules of the driver out.
std::vector<snapshot::ModuleBar> CollectBarredModules(const system::System& system);

// driver_libraries.cc: every copy of the user-space driver.
std::vector<snapshot::DriverLibrary> CollectDriverLibraries(const Surroundings& around);

// driver_devices.cc: device nodes, and the services that own some of them.
snapshot::Fact<std::vector<snapshot::DeviceNode>> CollectDeviceNodes(const Surroundings& around);
snapshot::Fact<bool> CollectFabricManager(const Surroundings& around);
snapshot::Fact<bool> CollectPersistence(const Surroundings& around);

}  // namespace culprit::collect

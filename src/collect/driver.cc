// Collector of the driver: its kernel side, every copy of its libraries, its device nodes and services.
// Nothing of the driver is opened or executed: no device node, no NVML, no nvidia-smi.
#include <array>

#include "collect/driver_parts.h"
#include "collect/stack.h"

namespace culprit::collect {
namespace {

constexpr std::array<std::string_view, 27> kReads = {
    "/proc/driver/nvidia/**", "/proc/modules", "/proc/sys/kernel/osrelease", "/proc", "/proc/*/comm",
    "/proc/1/cgroup", "/proc/self/mountinfo", "/sys/module", "/sys/module/**", "/sys/bus/pci/devices",
    "/sys/bus/pci/devices/**", "/lib/modules", "/lib/modules/**", "/dev", "/dev/nvidia*",
    "/dev/nvidia-caps/**", "/dev/dxg", "/run/nvidia-*/**", "/run/opengl-driver/lib", "/run/.containerenv",
    "/.dockerenv", "/.singularity.d", "/etc/group", "/etc/ld.so.cache", "/usr/**", "/opt/**",
    // in directories of LD_LIBRARY_PATH, CONDA_PREFIX and ld.so.cache, wherever they are
    "/**/libcuda.so*"};

}  // namespace

const CollectorInfo kDriverCollector = {"driver", kReads};

snapshot::Fact<snapshot::Driver> CollectDriver(const Surroundings& around) {
  snapshot::Driver driver;
  CollectKernelSide(around, driver);
  driver.libraries = CollectDriverLibraries(around);
  driver.nodes = CollectDeviceNodes(around);
  driver.fabric_manager = CollectFabricManager(around);
  driver.persistence = CollectPersistence(around);
  return snapshot::Fact<snapshot::Driver>::Of(std::move(driver), "driver");
}

}  // namespace culprit::collect

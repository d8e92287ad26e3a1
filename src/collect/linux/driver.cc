// Collector of the driver: its kernel side, every copy of its libraries, its device nodes and services.
// Nothing of the driver is opened or executed: no device node, no NVML, no nvidia-smi.
#include <array>

#include "collect/linux/driver_parts.h"
#include "collect/stack.h"

namespace culprit::collect {
namespace {

constexpr std::array<std::string_view, 46> kDriverReads = {
    "/proc/driver/nvidia/version",
    "/proc/driver/nvidia/params",
    "/proc/driver/nvidia/capabilities/**",
    "/proc/modules",
    "/proc/cmdline",
    "/etc/modprobe.d/*",
    "/run/modprobe.d/*",
    "/usr/local/lib/modprobe.d/*",
    "/usr/lib/modprobe.d/*",
    "/lib/modprobe.d/*",
    "/proc/sys/kernel/osrelease",
    "/proc/*/comm",
    "/proc/1/cgroup",
    "/proc/self/mountinfo",
    "/sys/module/*",
    "/sys/module/nvidia/version",
    "/sys/bus/pci/devices/*/vendor",
    "/sys/bus/pci/devices/*/device",
    "/lib/modules/*/kernel/**",
    "/lib/modules/*/updates/**",
    "/lib/modules/*/extra/**",
    "/lib/modules/*/extramodules/*",
    "/lib/modules/*/misc/*",
    "/lib/modules/*/weak-updates/nvidia/*",
    "/dev/nvidia*",
    "/dev/nvidia-caps/*",
    "/dev/dxg",
    "/run/nvidia-fabricmanager/socket",
    "/run/nvidia-persistenced/socket",
    "/run/.containerenv",
    "/.dockerenv",
    "/.singularity.d",
    "/etc/group",
    "/etc/ld.so.cache",
    "$usual",
    "$cached",
    "$LD_LIBRARY_PATH",
    "/usr/lib/*-linux-gnu/nvidia",
    "/usr/lib/*-linux-gnu/stubs",
    "/usr/lib/nvidia*",
    "/usr/lib32",
    "$CONDA_PREFIX/lib/stubs",
    "$CONDA_PREFIX/cuda-compat",
    // in those directories, and wherever their links lead
    "/**/libcuda.so*",
    "/**/libnvidia-ml.so*",
    "/**/libnvidia-ptxjitcompiler.so*",
};

}  // namespace

const CollectorInfo kDriverCollector = {"driver", kDriverReads};

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

// Any texts in the files of a machine: /proc, /sys, /etc, the PCI ids, a toolkit's version files and headers,
// and what /proc says about a process. Every collector answers, and none of them crashes or hangs.
#include <cstddef>
#include <cstdint>

#include "collect/process/process.h"
#include "collect/stack.h"
#include "machine_of_texts.h"
#include "require.h"

namespace {

constexpr std::string_view kPaths[] = {
    "/proc/driver/nvidia/version",
    "/proc/driver/nvidia/params",
    "/proc/driver/nvidia/gpus/0000:19:00.0/information",
    "/proc/device-tree/compatible",
    "/proc/modules",
    "/proc/self/mountinfo",
    "/proc/self/status",
    "/proc/sys/kernel/osrelease",
    "/proc/1/cgroup",
    "/proc/1/comm",
    "/proc/4711/maps",
    "/proc/4711/status",
    "/proc/4711/environ",
    "/proc/4711/cmdline",
    "/sys/bus/pci/devices/0000:19:00.0/vendor",
    "/sys/bus/pci/devices/0000:19:00.0/device",
    "/sys/bus/pci/devices/0000:19:00.0/class",
    "/sys/module/nvidia/version",
    "/etc/group",
    "/etc/nv_tegra_release",
    "/etc/os-release",
    "/usr/share/misc/pci.ids",
    "/usr/include/cudnn_version.h",
    "/usr/local/cuda-12.4/version.json",
    "/usr/local/cuda-12.4/version.txt",
    "/usr/local/cuda-12.4/include/cuda.h",
    "/usr/local/cuda-12.4/bin/nvcc",
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace collect = culprit::collect;
  culprit::system::MemorySystem machine;
  machine.AddDevice("/dev/nvidia0");
  machine.AddLink("/proc/4711/exe", "/usr/bin/python3.12");
  machine.AddLink("/proc/4711/cwd", "/");
  machine.AddLink("/proc/4711/root", "/");
  machine.AddLink("/proc/self/root", "/");
  machine.AddFile("/usr/lib/x86_64-linux-gnu/libcudnn.so.9", "x");
  AddTexts({reinterpret_cast<const char*>(data), size}, kPaths, machine);
  const collect::Surroundings around{
      .system = machine, .environment = {{"PATH", "/usr/local/cuda-12.4/bin"}}, .working_directory = "/"};
  collect::CollectDriver(around);
  collect::CollectGpus(around);
  collect::CollectContext(around);
  collect::CollectToolkits(around, {});
  collect::CollectCudnn(around, {});
  const auto process = collect::LookAtProcess(machine, 4711);
  if (process) {
    for (const auto& load : process->process.loads) Require(!load.path.empty());
  } else {
    Require(!process.error().message.empty());
  }
  return 0;
}

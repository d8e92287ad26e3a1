// The NVIDIA driver and the GPUs of a machine. Plain values; "" and 0 mean "not known" where nothing else is
// said.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "snapshot/fact.h"
#include "snapshot/kinds.h"

namespace culprit::snapshot {

// One copy of libcuda, libnvidia-ml or libnvidia-ptxjitcompiler on the machine, whether or not a loader would
// look there.
struct DriverLibrary {
  std::string name;       // "libcuda.so.1"; "libcuda.so" of a stub, "libcuda.so.580.95.05" without its link
  std::string path;       // as found
  std::string real_path;  // links resolved; "" when the link leads nowhere
  std::string version;    // "580.95.05", "" when its name does not tell
  DriverLibraryKind kind = DriverLibraryKind::kUnknown;
  uint64_t size = 0;
  std::vector<uint32_t>
      compat_branches;  // compat with a forward-compatibility note: driver branches it may sit on

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("name", self.name);
    visit("path", self.path);
    visit("real_path", self.real_path);
    visit("version", self.version);
    visit("kind", self.kind);
    visit("size", self.size);
    visit("compat_branches", self.compat_branches);
  }
  bool operator==(const DriverLibrary&) const = default;
};

// What the start of a container gives an image on an assumed host (container/given.h): the file that the
// loader's cache then has under a name of the driver.
struct GivenLibrary {
  std::string name;  // "libcuda.so.1"
  std::string path;
  GivenFrom from = GivenFrom::kHost;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("name", self.name);
    visit("path", self.path);
    visit("from", self.from);
  }
  bool operator==(const GivenLibrary&) const = default;
};

struct DeviceNode {
  std::string path;           // "/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/dxg"
  bool not_a_device = false;  // a plain file or directory stands there
  bool denied = false;        // this user may not open it for reading and writing
  uint32_t mode = 0;
  std::string group;  // that owns it, by name where /etc/group knows it

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("path", self.path);
    visit("not_a_device", self.not_a_device);
    visit("denied", self.denied);
    visit("mode", self.mode);
    visit("group", self.group);
  }
  bool operator==(const DeviceNode&) const = default;
};

// A kernel module file of the NVIDIA driver under /lib/modules.
struct ModuleFile {
  std::string path;
  std::string kernel;          // the release directory it lies in
  std::string version;         // modinfo's, "" when not readable (compressed)
  bool unsigned_file = false;  // it ends without the mark of a signature (compressed: not known, false)

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("path", self.path);
    visit("kernel", self.kernel);
    visit("version", self.version);
    visit("unsigned_file", self.unsigned_file);
  }
  bool operator==(const ModuleFile&) const = default;
};

// A line of modprobe's configuration, or of the kernel's command line, that keeps a module out.
struct ModuleBar {
  std::string module;  // "nvidia", with '_' for '-'
  std::string file;
  uint32_t line = 0;  // from 1; 0: the file is one line
  std::string text;   // "alias nvidia off"

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("module", self.module);
    visit("file", self.file);
    visit("line", self.line);
    visit("text", self.text);
  }
  bool operator==(const ModuleBar&) const = default;
};

struct Driver {
  Fact<std::string> kernel_version;  // of the loaded module: "580.95.05"
  std::string kernel_flavor;         // "open", "proprietary", "" not known
  Fact<std::vector<std::string>>
      modules;                 // loaded ones that matter: nvidia, nvidia_uvm, nouveau, nova_core ...
  std::string running_kernel;  // uname -r
  Fact<std::vector<ModuleFile>> module_files;  // nvidia.ko* for any kernel
  std::vector<ModuleBar> barred;               // modules of the driver that modprobe does not load
  std::vector<DriverLibrary> libraries;
  std::vector<GivenLibrary> given;  // of an image for an assumed host
  Fact<std::vector<DeviceNode>> nodes;
  std::map<std::string, std::string> parameters;  // /proc/driver/nvidia/params
  Fact<bool> fabric_manager;                      // running? not-applicable where no NVSwitch is seen
  Fact<bool> persistence;                         // nvidia-persistenced running?
  // MIG instances of /proc/driver/nvidia/capabilities: "gpu0/mig/gi1/ci0", and "gpu0/mig/gi1" for a GPU
  // instance without a compute instance.
  std::vector<std::string> mig_instances;
  bool assumed = false;  // --host says so, nothing was looked at

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("kernel_version", self.kernel_version);
    visit("kernel_flavor", self.kernel_flavor);
    visit("modules", self.modules);
    visit("running_kernel", self.running_kernel);
    visit("module_files", self.module_files);
    visit("barred", self.barred);
    visit("libraries", self.libraries);
    visit("given", self.given);
    visit("nodes", self.nodes);
    visit("parameters", self.parameters);
    visit("fabric_manager", self.fabric_manager);
    visit("persistence", self.persistence);
    visit("mig_instances", self.mig_instances);
    visit("assumed", self.assumed);
  }
  bool operator==(const Driver&) const = default;
};

struct Gpu {
  std::string bus_id;              // "0000:19:00.0"; "" when assumed
  std::string name;                // "NVIDIA H200", or the chip's name
  std::string device_id;           // "2335", lower-case hex
  std::string chip;                // "GH100"
  std::string compute_capability;  // "9.0"
  std::string uuid;
  std::string bound_to;      // kernel driver: "nvidia", "nouveau", "vfio-pci", "" none
  std::string minor;         // of /dev/nvidiaN
  std::string driver_model;  // Windows: "WDDM", "TCC" as the registry asks for; "" not known
  std::string source;        // where it was read
  bool virtual_gpu = false;  // a vGPU: a share of a GPU that the host of this virtual machine gives out
  bool assumed = false;      // --host says so

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("bus_id", self.bus_id);
    visit("name", self.name);
    visit("device_id", self.device_id);
    visit("chip", self.chip);
    visit("compute_capability", self.compute_capability);
    visit("uuid", self.uuid);
    visit("bound_to", self.bound_to);
    visit("minor", self.minor);
    visit("driver_model", self.driver_model);
    visit("source", self.source);
    visit("virtual_gpu", self.virtual_gpu);
    visit("assumed", self.assumed);
  }
  bool operator==(const Gpu&) const = default;
};

}  // namespace culprit::snapshot

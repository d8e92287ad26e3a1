// The CUDA stack of a machine as the collectors found it: driver, GPUs, toolkits, cuDNN, Python environments,
// and the circumstances (container, WSL, sudo ...). Plain values; every part is a Fact, because every part
// can be out of reach. "" and 0 mean "not known" where nothing else is said.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "snapshot/fact.h"

namespace culprit::snapshot {

// ---------------------------------------------------------------------------------------------------------
// Driver

// One copy of libcuda, libnvidia-ml or libnvidia-ptxjitcompiler on the machine, whether or not a loader would
// look there.
struct DriverLibrary {
  std::string name;       // "libcuda.so.1"; "libcuda.so" of a stub, "libcuda.so.580.95.05" without its link
  std::string path;       // as found
  std::string real_path;  // links resolved; "" when the link leads nowhere
  std::string version;    // "580.95.05", "" when its name does not tell
  std::string kind;       // "driver", "compat", "stub", "wsl", "tegra", "container" (/usr/local/nvidia)
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

struct Driver {
  Fact<std::string> kernel_version;  // of the loaded module: "580.95.05"
  std::string kernel_flavor;         // "open", "proprietary", "" not known
  Fact<std::vector<std::string>>
      modules;                 // loaded ones that matter: nvidia, nvidia_uvm, nouveau, nova_core ...
  std::string running_kernel;  // uname -r
  Fact<std::vector<ModuleFile>> module_files;  // nvidia.ko* for any kernel
  std::vector<DriverLibrary> libraries;
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
    visit("libraries", self.libraries);
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
  std::string bound_to;  // kernel driver: "nvidia", "nouveau", "vfio-pci", "" none
  std::string minor;     // of /dev/nvidiaN
  std::string source;    // where it was read
  bool assumed = false;  // --host says so

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
    visit("source", self.source);
    visit("assumed", self.assumed);
  }
  bool operator==(const Gpu&) const = default;
};

// ---------------------------------------------------------------------------------------------------------
// Toolkits and compilers

struct Toolkit {
  std::string root;     // "/usr/local/cuda-13.0", "<prefix>" of conda, "<site-packages>/nvidia/cu13"
  std::string version;  // "13.0.3", "12.4"
  std::string source;   // where the version was read
  std::string kind;     // "toolkit", "conda", "hpc-sdk", "pip", "distribution" (Debian's nvidia-cuda-toolkit)
  std::string nvcc;     // path, "" when it has none
  std::string nvcc_version;
  std::string header_version;      // CUDA_VERSION of include/cuda.h: "13.0"
  std::vector<std::string> links;  // names that lead to it: "/usr/local/cuda"

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("root", self.root);
    visit("version", self.version);
    visit("source", self.source);
    visit("kind", self.kind);
    visit("nvcc", self.nvcc);
    visit("nvcc_version", self.nvcc_version);
    visit("header_version", self.header_version);
    visit("links", self.links);
  }
  bool operator==(const Toolkit&) const = default;
};

struct Compiler {
  std::string name;     // "gcc", "clang"
  std::string path;     // as PATH, CC, CXX or NVCC_CCBIN give it
  std::string version;  // "12", "12.2.0"
  std::string source;   // how the version is known, and who chose it

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("name", self.name);
    visit("path", self.path);
    visit("version", self.version);
    visit("source", self.source);
  }
  bool operator==(const Compiler&) const = default;
};

struct Toolkits {
  std::vector<Toolkit> copies;
  std::string nvcc_on_path;              // what a shell would run; "" none
  std::vector<Compiler> host_compilers;  // the first is the one that nvcc would use

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("copies", self.copies);
    visit("nvcc_on_path", self.nvcc_on_path);
    visit("host_compilers", self.host_compilers);
  }
  bool operator==(const Toolkits&) const = default;
};

// ---------------------------------------------------------------------------------------------------------
// cuDNN

struct CudnnPart {
  std::string name;     // soname as asked for: "libcudnn_ops.so.9"
  std::string path;     // the file or link of that name
  std::string version;  // "9.19.0", "" not readable
  std::string problem;  // "" or: "leads nowhere", "is empty", "cut short", "not a link but a second file" ...

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("name", self.name);
    visit("path", self.path);
    visit("version", self.version);
    visit("problem", self.problem);
  }
  bool operator==(const CudnnPart&) const = default;
};

// All cuDNN files of one major version in one directory.
struct CudnnCopy {
  std::string directory;
  uint32_t major = 0;
  std::string version;  // of the majority of its parts
  std::string version_source;
  std::string cuda;  // CUDA it was built for: "12", "13.0"; "" not readable
  std::string cuda_source;
  std::string machine;  // "x86-64"
  std::vector<CudnnPart> parts;
  std::vector<std::string> missing_parts;  // sonames that this version cannot do without and are not there
  std::string header;                      // cudnn_version.h (cudnn.h for 7) that a build beside it would use
  std::string header_version;
  std::string owner;  // "pip nvidia-cudnn-cu12 9.1.0.70", "dpkg libcudnn9-cuda-12 9.14.0.64-1"; "" nobody

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("directory", self.directory);
    visit("major", self.major);
    visit("version", self.version);
    visit("version_source", self.version_source);
    visit("cuda", self.cuda);
    visit("cuda_source", self.cuda_source);
    visit("machine", self.machine);
    visit("parts", self.parts);
    visit("missing_parts", self.missing_parts);
    visit("header", self.header);
    visit("header_version", self.header_version);
    visit("owner", self.owner);
  }
  bool operator==(const CudnnCopy&) const = default;
};

// ---------------------------------------------------------------------------------------------------------
// Python

struct Requirement {
  std::string name;                 // normalised: "nvidia-cudnn-cu12"
  std::string specifier;            // "==9.1.0.70", ">=2,<3", "" any
  std::string marker;               // as written; "" none
  std::string extra;                // only with this extra; "" always
  std::vector<std::string> extras;  // it asks for these extras of `name`: cuda-toolkit[cublas]

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("name", self.name);
    visit("specifier", self.specifier);
    visit("marker", self.marker);
    visit("extra", self.extra);
    visit("extras", self.extras);
  }
  bool operator==(const Requirement&) const = default;
};

// A file of a package that is not as its RECORD says.
struct DamagedFile {
  std::string path;
  std::string problem;  // "missing", "size", "hash"
  std::string expected;
  std::string actual;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("path", self.path);
    visit("problem", self.problem);
    visit("expected", self.expected);
    visit("actual", self.actual);
  }
  bool operator==(const DamagedFile&) const = default;
};

struct PythonPackage {
  std::string name;  // normalised: lower case, '-' between words
  std::string version;
  std::string record;                     // the dist-info directory or conda-meta file
  std::string installer;                  // "pip", "uv", "conda", ""
  std::vector<Requirement> requirements;  // of packages that matter to CUDA
  std::vector<DamagedFile> damaged;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("name", self.name);
    visit("version", self.version);
    visit("record", self.record);
    visit("installer", self.installer);
    visit("requirements", self.requirements);
    visit("damaged", self.damaged);
  }
  bool operator==(const PythonPackage&) const = default;
};

struct Framework {
  std::string name;       // "torch", "tensorflow", "jax", "onnxruntime", "ctranslate2", "cupy", "paddle" ...
  std::string package;    // the distribution that brought it: "onnxruntime-gpu"
  std::string version;    // "2.11.0+cu130"
  std::string directory;  // of the module: <site-packages>/torch
  std::string cuda;       // CUDA it was built for: "13.0"; "" not known
  std::string cudnn;      // cuDNN it was built against: "9.19.0"; "" not known
  bool cpu_only = false;  // its own build facts say: no CUDA
  std::string source;     // where these were read
  std::vector<std::string> libraries;  // files of it that hold its CUDA code, if there: libtorch_cuda.so
  std::string built_with;  // the package that its extension was compiled against: "torch 2.5.1+cu124"

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("name", self.name);
    visit("package", self.package);
    visit("version", self.version);
    visit("directory", self.directory);
    visit("cuda", self.cuda);
    visit("cudnn", self.cudnn);
    visit("cpu_only", self.cpu_only);
    visit("source", self.source);
    visit("libraries", self.libraries);
    visit("built_with", self.built_with);
  }
  bool operator==(const Framework&) const = default;
};

struct PythonEnvironment {
  std::string prefix;                      // "/home/u/.venv"
  std::string kind;                        // "venv", "conda", "system", "user"
  std::string why;                         // "active", "given", "found"
  std::string interpreter;                 // bin/python3 as a user would start it; "" none
  std::string python;                      // "3.12"
  std::vector<std::string> site_packages;  // what is searched for modules, in the order of sys.path
  std::vector<PythonPackage> packages;     // sorted by name
  std::vector<Framework> frameworks;
  std::vector<std::string> problems;  // what could not be read of it

  const PythonPackage* Find(const std::string& name) const {
    for (const PythonPackage& package : packages) {
      if (package.name == name) return &package;
    }
    return nullptr;
  }

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("prefix", self.prefix);
    visit("kind", self.kind);
    visit("why", self.why);
    visit("interpreter", self.interpreter);
    visit("python", self.python);
    visit("site_packages", self.site_packages);
    visit("packages", self.packages);
    visit("frameworks", self.frameworks);
    visit("problems", self.problems);
  }
  bool operator==(const PythonEnvironment&) const = default;
};

// ---------------------------------------------------------------------------------------------------------
// Circumstances

struct Context {
  std::string container;         // "docker", "podman", "kubernetes", "singularity", "lxc"; "" none seen
  std::string container_source;  // how that is known
  bool wsl = false;
  std::string jetson;  // L4T release, "" no Jetson
  bool root = false;
  std::string sudo_user;  // set when started by sudo
  std::string slurm_job;
  std::string distribution;           // "Debian GNU/Linux 12 (bookworm)"
  std::string kernel;                 // uname -r
  std::string secure_boot;            // "on", "off", "" not known
  std::vector<std::string> injected;  // driver files mounted into this container

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("container", self.container);
    visit("container_source", self.container_source);
    visit("wsl", self.wsl);
    visit("jetson", self.jetson);
    visit("root", self.root);
    visit("sudo_user", self.sudo_user);
    visit("slurm_job", self.slurm_job);
    visit("distribution", self.distribution);
    visit("kernel", self.kernel);
    visit("secure_boot", self.secure_boot);
    visit("injected", self.injected);
  }
  bool operator==(const Context&) const = default;
};

struct Stack {
  Fact<Driver> driver;
  Fact<std::vector<Gpu>> gpus;
  Fact<Toolkits> toolkits;
  Fact<std::vector<CudnnCopy>> cudnn;
  Fact<std::vector<PythonEnvironment>> environments;
  Fact<Context> context;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("driver", self.driver);
    visit("gpus", self.gpus);
    visit("toolkits", self.toolkits);
    visit("cudnn", self.cudnn);
    visit("environments", self.environments);
    visit("context", self.context);
  }
  bool operator==(const Stack&) const = default;
};

}  // namespace culprit::snapshot

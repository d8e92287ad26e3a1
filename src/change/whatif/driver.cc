// A driver that is installed, and one that a container is given: libraries, module, device nodes, as far as
// collect/driver_* looks at them. Packages put the libraries where the old ones are, or else where this
// distribution keeps its libraries; they block nouveau, bring nvidia-modprobe and run ldconfig. The new
// module is left compressed, so that nothing is claimed about its contents.
#include <array>

#include "base/text.h"
#include "base/windows/path.h"
#include "change/whatif/gpus.h"
#include "change/whatif/steps.h"

namespace culprit::whatif {
namespace {

using base::JoinPath;
using report::Change;
using system::FileType;
using system::System;

constexpr std::array<std::string_view, 3> kFamilies = {"libcuda.so", "libnvidia-ml.so",
                                                       "libnvidia-ptxjitcompiler.so"};

std::vector<std::string> UsualDirectories(const System& machine) {
  const char* const triplet =
      machine.HostCpu().machine == "aarch64" ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
  return {std::string("/usr/lib/") + triplet, std::string("/usr/lib/") + triplet + "/nvidia/current",
          "/usr/lib64", "/usr/lib"};
}

std::vector<std::string> FilesOfDriver(const System& machine, const std::string& directory) {
  std::vector<std::string> files;
  const auto entries = machine.List(directory);
  if (!entries) return files;
  for (const auto& entry : *entries) {
    for (const std::string_view family : kFamilies) {
      const bool member = entry.name == family || entry.name.starts_with(std::string(family) + ".");
      if (member && entry.type != FileType::kDirectory) files.push_back(JoinPath(directory, entry.name));
    }
  }
  return files;
}

// Where the driver's libraries are; else where they would be.
std::string LibraryDirectory(const System& machine) {
  const std::vector<std::string> directories = UsualDirectories(machine);
  for (const std::string& directory : directories) {
    if (!FilesOfDriver(machine, directory).empty()) return directory;
  }
  for (const std::string& directory : directories) {
    if (machine.Stat(directory)) return directory;
  }
  return directories.back();
}

void AddLibraries(const System& machine, const std::string& version, std::vector<Change>& steps) {
  const std::string directory = LibraryDirectory(machine);
  for (const std::string& old : FilesOfDriver(machine, directory)) steps.push_back(report::RemoveFile{old});
  for (const std::string_view family : kFamilies) {
    const std::string soname = std::string(family) + ".1";
    const std::string file = std::string(family) + "." + version;
    steps.push_back(report::PutLibrary{
        .path = JoinPath(directory, file), .version = version, .soname = soname, .needed = {"libc.so.6"}});
    steps.push_back(report::PutLink{JoinPath(directory, soname), file});
    steps.push_back(report::PutLink{JoinPath(directory, family), soname});
  }
  if (machine.Stat("/etc/ld.so.cache")) steps.push_back(report::RefreshCache{});
}

void AddNodes(const System& machine, const std::vector<BusGpu>& gpus, std::vector<Change>& steps) {
  std::vector<std::string> paths = {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools"};
  for (size_t minor = 0; minor < gpus.size(); ++minor) paths.push_back("/dev/nvidia" + std::to_string(minor));
  for (const std::string& path : paths) {
    if (!machine.Stat(path)) steps.push_back(report::PutDevice{.path = path});
  }
}

// The module of the running kernel, in place of those of other versions.
void AddModuleFile(const System& machine, std::vector<Change>& steps) {
  const auto release = system::ReadWholeFile(machine, "/proc/sys/kernel/osrelease", 4096);
  if (!release) return;
  const std::string kernel = "/lib/modules/" + std::string(base::Trim(*release));
  if (!machine.Stat(kernel)) return;
  for (const char* below :
       {"/updates/dkms", "/updates", "/extra", "/extra/nvidia", "/kernel/drivers/video"}) {
    const auto entries = machine.List(kernel + below);
    if (!entries) continue;
    for (const auto& entry : *entries) {
      if (entry.name.starts_with("nvidia.ko") || entry.name.starts_with("nvidia-current.ko"))
        steps.push_back(report::RemoveFile{JoinPath(kernel + below, entry.name)});
    }
  }
  steps.push_back(report::PutText{kernel + "/updates/dkms/nvidia.ko.xz", "nvidia.ko\n"});
}

bool IsWsl(const System& machine) {
  const auto release = system::ReadWholeFile(machine, "/proc/sys/kernel/osrelease", 4096);
  return machine.Stat("/dev/dxg") || (release && release->find("icrosoft") != std::string::npos);
}

// The driver of Windows mounts its libraries there; they tell no version.
Changes InstallForWsl(const System& machine) {
  std::vector<Change> steps;
  for (const char* name : {"libcuda.so", "libcuda.so.1", "libnvidia-ml.so.1"}) {
    std::string soname = name;
    if (soname == "libcuda.so") soname = "libcuda.so.1";
    steps.push_back(report::PutLibrary{
        .path = std::string("/usr/lib/wsl/lib/") + name, .soname = soname, .needed = {"libc.so.6"}});
  }
  if (machine.Stat("/etc/ld.so.cache")) steps.push_back(report::RefreshCache{});
  return InSteps(machine, steps);
}

Changes InstallOnWindows(const System& machine, const std::string& version) {
  const auto environment = machine.Environment();
  const auto root = environment.find("SYSTEMROOT");
  const std::string system32 =
      (root == environment.end() ? "/C:/Windows" : base::FromWindowsPath(root->second)) + "/System32";
  std::vector<Change> steps;
  for (const char* name : {"nvcuda.dll", "nvml.dll"}) {
    const std::string path = JoinPath(system32, name);
    steps.emplace_back(
        report::PutLibrary{.path = path, .like = machine.Stat(path) ? path : "", .version = version});
  }
  return InSteps(machine, steps);
}

}  // namespace

Changes Make(const System& machine, const report::InstallDriver& change) {
  if (change.version.empty())
    return base::Fail(base::ErrorCode::kUnsupported, "the driver to install is not known");
  if (machine.platform() == base::Platform::kWindows) return InstallOnWindows(machine, change.version);
  if (IsWsl(machine)) return InstallForWsl(machine);
  std::vector<Change> steps;
  AddLibraries(machine, change.version, steps);
  AddModuleFile(machine, steps);
  std::vector<BusGpu> driven;
  for (const BusGpu& gpu : GpusOnBus(machine)) {
    if (!MayDrive(change.version, gpu)) continue;
    if (gpu.bound_to == "nouveau" || gpu.bound_to.starts_with("nova"))
      steps.emplace_back(Bind(gpu.bus_id, "nvidia"));
    driven.push_back(gpu);
  }
  steps.push_back(report::LoadModule{"nvidia", change.version});
  steps.push_back(report::LoadModule{"nvidia-uvm", ""});
  if (!machine.Stat("/usr/bin/nvidia-modprobe"))
    steps.push_back(report::PutLibrary{.path = "/usr/bin/nvidia-modprobe", .program = true});
  steps.push_back(report::SetMode{"/usr/bin/nvidia-modprobe", 04755});
  AddNodes(machine, driven, steps);
  return InSteps(machine, steps);
}

// The runtime mounts the libraries of the host's driver and its list of GPUs, and makes the nodes. All GPUs
// of the host are given.
Changes Make(const System& machine, const report::StartContainer& change) {
  if (change.driver.empty())
    return base::Fail(base::ErrorCode::kUnsupported, "the driver of the host is not known");
  std::vector<Change> steps;
  AddLibraries(machine, change.driver, steps);
  std::vector<BusGpu> given;
  for (const BusGpu& gpu : GpusOnBus(machine)) {
    if (gpu.bound_to == "nvidia") given.push_back(gpu);
  }
  for (Change& step : DriversList(machine, given)) steps.push_back(std::move(step));
  AddNodes(machine, given, steps);
  return InSteps(machine, steps);
}

}  // namespace culprit::whatif

// The kernel side of the driver. The version of the loaded module stands in /sys/module/nvidia/version, and
// in /proc/driver/nvidia/version in one of two forms (proprietary and open); the latter also inside
// containers, where the runtime mounts it. A module that is on disk in another version than the loaded one is
// an update that waits for a reboot.
#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "binfmt/elf/section_text.h"
#include "collect/linux/driver_parts.h"
#include "collect/small_file.h"

namespace culprit::collect {
namespace {

using base::JoinPath;
using snapshot::Fact;
using snapshot::ModuleFile;
using system::FileType;

constexpr size_t kMostKernels = 32;
constexpr size_t kMostInstances = 256;

// Where packages and installers put nvidia.ko below /lib/modules/<kernel>: DKMS, Fedora's kmod and akmod,
// Ubuntu's signed modules, the .run installer, Arch, openSUSE.
constexpr std::array<std::string_view, 13> kModuleDirectories = {"updates/dkms",
                                                                 "updates",
                                                                 "extra",
                                                                 "extra/nvidia",
                                                                 "extra/nvidia-open",
                                                                 "extramodules",
                                                                 "kernel/drivers/video",
                                                                 "kernel/drivers/video/nvidia",
                                                                 "kernel/drivers/char/drm",
                                                                 "kernel/nvidia",
                                                                 "misc",
                                                                 "weak-updates/nvidia",
                                                                 "kernel/extramodules"};

bool IsModuleName(std::string_view name) {
  return name == "nvidia.ko" || name == "nvidia.ko.xz" || name == "nvidia.ko.zst" || name == "nvidia.ko.gz" ||
         name == "nvidia-current.ko" || name == "nvidia-current.ko.xz" || name == "nvidia-current.ko.zst";
}

// Ubuntu's pre-built modules lie in kernel/nvidia-580/ and kernel/nvidia-580-open/.
std::vector<std::string> ModuleDirectoriesOf(const system::System& system, const std::string& kernel) {
  std::vector<std::string> directories;
  for (const std::string_view below : kModuleDirectories) directories.push_back(JoinPath(kernel, below));
  if (const auto entries = system.List(kernel + "/kernel")) {
    for (const auto& entry : *entries) {
      if (entry.name.starts_with("nvidia-") && entry.type != FileType::kRegular) {
        directories.push_back(kernel + "/kernel/" + entry.name);
        directories.push_back(kernel + "/kernel/" + entry.name + "/bits");
      }
    }
  }
  return directories;
}

// Of a module that is not compressed: the field version of its .modinfo, and whether a signature is appended.
void ReadModule(const system::System& system, ModuleFile& module) {
  constexpr std::string_view kSignatureMark = "~Module signature appended~\n";
  if (!module.path.ends_with(".ko")) return;
  const auto file = system.Open(module.path);
  if (!file || !file->bytes) return;
  const auto information = binfmt::ReadElfSection(*file->bytes, ".modinfo", uint64_t{1} << 20);
  if (!information) return;
  for (const std::string& field : base::Split(*information, '\0')) {
    if (field.starts_with("version=")) module.version = field.substr(8);
  }
  const uint64_t size = file->bytes->size();
  if (size < kSignatureMark.size()) return;
  std::string end(kSignatureMark.size(), '\0');
  const auto read = file->bytes->ReadAt(size - end.size(), std::as_writable_bytes(std::span(end)));
  module.unsigned_file = read && *read == end.size() && end != kSignatureMark;
}

Fact<std::vector<ModuleFile>> FindModuleFiles(const system::System& system) {
  using Files = Fact<std::vector<ModuleFile>>;
  const std::string root = "/lib/modules";
  const auto kernels = system.List(root);
  if (!kernels && kernels.error() == base::PathError::kNoEntry) return Files::Absent(root);
  if (!kernels) return Files::Unreadable(std::string(base::Strerror(kernels.error())), root);
  std::vector<ModuleFile> files;
  size_t looked_at = 0;
  for (const auto& kernel : *kernels) {
    if (kernel.type == FileType::kRegular || ++looked_at > kMostKernels) continue;
    std::set<std::string> seen;
    for (const std::string& directory : ModuleDirectoriesOf(system, JoinPath(root, kernel.name))) {
      const auto entries = system.List(directory);
      if (!entries) continue;
      for (const auto& entry : *entries) {
        if (!IsModuleName(entry.name)) continue;
        const std::string path = JoinPath(directory, entry.name);
        const auto real = system.RealPath(path);
        if (!real || !seen.insert(*real).second) continue;
        ModuleFile file{.path = path, .kernel = kernel.name};
        ReadModule(system, file);
        files.push_back(std::move(file));
      }
    }
  }
  return Files::Of(std::move(files), root);
}

Fact<std::string> LoadedVersion(const system::System& system, std::string& flavor) {
  auto sys = ReadSmallFile(system, "/sys/module/nvidia/version");
  auto proc = ReadSmallFile(system, "/proc/driver/nvidia/version");
  const ModuleVersion parsed = proc ? ParseNvrmVersion(*proc) : ModuleVersion{};
  flavor = parsed.flavor;
  if (std::string version = FirstLine(sys); !version.empty()) {
    return Fact<std::string>::Of(std::move(version), sys.source);
  }
  if (!parsed.version.empty()) return Fact<std::string>::Of(parsed.version, proc.source);
  if (proc) return Fact<std::string>::Unreadable("contains no version", proc.source);
  if (sys.state == snapshot::FactState::kUnreadable) return sys;
  if (proc.state == snapshot::FactState::kUnreadable) return proc;
  return Fact<std::string>::Absent("/sys/module/nvidia/version, /proc/driver/nvidia/version");
}

// Those of /proc/modules that have to do with an NVIDIA GPU. One built into the kernel stands in /sys/module
// alone.
Fact<std::vector<std::string>> LoadedModules(const system::System& system) {
  using Names = Fact<std::vector<std::string>>;
  static constexpr std::array<std::string_view, 9> kOthers = {
      "nouveau", "nova", "nova_core", "nova_drm", "nvidiafb", "nvgpu", "vfio_pci", "bbswitch", "gdrdrv"};
  const std::string path = "/proc/modules";
  const auto text = system::ReadWholeFile(system, path, uint64_t{1} << 20);
  std::set<std::string> names;
  if (text) {
    for (const std::string& line : base::Split(*text, '\n')) {
      const std::string name = line.substr(0, line.find(' '));
      const bool matters = name == "nvidia" || name.starts_with("nvidia_") ||
                           std::ranges::find(kOthers, name) != kOthers.end();
      if (matters) names.insert(name);
    }
  }
  for (const char* name : {"nvidia", "nvidia_uvm", "nouveau", "nova_core"}) {
    if (system.Stat(std::string("/sys/module/") + name)) names.insert(name);
  }
  if (!text && names.empty()) {
    if (system.Stat("/sys/module")) return Names::Of({}, "/sys/module");
    return Names::Unreadable(std::string(base::Strerror(text.error())), path);
  }
  return Names::Of({names.begin(), names.end()}, text ? path : "/sys/module");
}

std::map<std::string, std::string> Parameters(const system::System& system) {
  std::map<std::string, std::string> parameters;
  const auto text = ReadSmallFile(system, "/proc/driver/nvidia/params");
  if (!text) return parameters;
  for (const std::string& line : base::Split(*text, '\n')) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    parameters[std::string(base::Trim(line.substr(0, colon)))] = base::Trim(line.substr(colon + 1));
  }
  return parameters;
}

std::vector<std::string> DirectoriesNamed(const system::System& system, const std::string& path,
                                          std::string_view prefix) {
  std::vector<std::string> names;
  const auto entries = system.List(path);
  if (!entries) return names;
  for (const auto& entry : *entries) {
    if (entry.name.starts_with(prefix) && entry.type == FileType::kDirectory) names.push_back(entry.name);
  }
  return names;
}

std::vector<std::string> MigInstances(const system::System& system) {
  const std::string root = "/proc/driver/nvidia/capabilities";
  std::vector<std::string> instances;
  for (const std::string& gpu : DirectoriesNamed(system, root, "gpu")) {
    const std::string mig = gpu + "/mig";
    for (const std::string& part : DirectoriesNamed(system, JoinPath(root, mig), "gi")) {
      if (instances.size() >= kMostInstances) return instances;
      const std::string gi = mig + "/" + part;
      const auto computes = DirectoriesNamed(system, JoinPath(root, gi), "ci");
      if (computes.empty()) instances.push_back(gi);
      for (const std::string& ci : computes) instances.push_back(gi + "/" + ci);
    }
  }
  return instances;
}

}  // namespace

ModuleVersion ParseNvrmVersion(std::string_view text) {
  constexpr std::string_view kMark = "Kernel Module";
  text = text.substr(0, text.find('\n'));
  const size_t mark = text.find(kMark);
  if (mark == std::string_view::npos) return {};
  const std::string_view rest = text.substr(mark + kMark.size());
  // "  580.95.05  ..." or " for x86_64  580.95.05  Release Build ...": after the first two spaces.
  const size_t gap = rest.find("  ");
  if (gap == std::string_view::npos) return {};
  std::string_view token = base::Trim(rest.substr(gap));
  token = token.substr(0, token.find(' '));
  if (const size_t suffix = token.find(".ld64"); suffix != std::string_view::npos) {
    token = token.substr(0, suffix);
  }
  const bool open = text.substr(0, mark).ends_with("Open ");
  return {std::string(token), open ? "open" : "proprietary"};
}

void CollectKernelSide(const Surroundings& around, snapshot::Driver& driver) {
  driver.module_files = FindModuleFiles(around.system);
  if (around.host_unseen) {
    driver.kernel_version = Fact<std::string>::NotApplicable(std::string(kHostUnseen));
    driver.modules = Fact<std::vector<std::string>>::NotApplicable(std::string(kHostUnseen));
    return;
  }
  driver.kernel_version = LoadedVersion(around.system, driver.kernel_flavor);
  driver.modules = LoadedModules(around.system);
  driver.barred = CollectBarredModules(around.system);
  driver.running_kernel = FirstLine(ReadSmallFile(around.system, "/proc/sys/kernel/osrelease"));
  driver.parameters = Parameters(around.system);
  driver.mig_instances = MigInstances(around.system);
}

}  // namespace culprit::collect

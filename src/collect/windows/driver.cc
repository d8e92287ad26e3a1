// Collector of the driver on Windows: every copy of its user-space DLLs, and its version. The version
// resource of a driver file is 32.0.15.6094, whose last five digits are NVIDIA's number 560.94; the registry
// says the same as DriverVersion of the display adapter. System32 holds what programs load; DriverStore holds
// each driver that was ever installed, and nothing there says that it is in use.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/version.h"
#include "base/windows/path.h"
#include "collect/linux/driver_parts.h"
#include "collect/live_file_view.h"
#include "collect/windows/places.h"
#include "collect/windows/stack.h"

namespace culprit::collect {
namespace {

using base::JoinPath;
using base::PathError;
using snapshot::Driver;
using snapshot::DriverLibrary;
using snapshot::DriverLibraryKind;
using snapshot::Fact;

constexpr size_t kMostDriverPackages = 64;  // of the driver store

constexpr std::array<std::string_view, 6> kWindowsDriverReads = {
    "/C:/Windows/System32/*",
    "/C:/Windows/System32/DriverStore/FileRepository/nv*/*",
    "$PATH/nv*",
    "/C:/Program Files/NVIDIA Corporation/NVSMI/*",
    "HKLM/SYSTEM/CurrentControlSet/Control/Class/{4d36e968-e325-11ce-bfc1-08002be10318}/*",
    "HKLM/SYSTEM/CurrentControlSet/Services/nvlddmkm",
};

constexpr char kDisplayClass[] =
    "HKLM/SYSTEM/CurrentControlSet/Control/Class/{4d36e968-e325-11ce-bfc1-08002be10318}";

bool IsDriverDll(std::string_view name) {
  const std::string folded = base::FoldCase(name);
  static constexpr std::array<std::string_view, 5> kNames = {"nvcuda.dll", "nvcuda64.dll", "nvml.dll",
                                                             "nvcudart_hybrid64.dll", "nvcudadebugger.dll"};
  if (std::ranges::find(kNames, folded) != kNames.end()) return true;
  return folded.starts_with("nvptxjitcompiler") && folded.ends_with(".dll");
}

class WindowsDriverSearch {
 public:
  explicit WindowsDriverSearch(const Surroundings& around) : view_(around.system) {}

  void Add(const std::string& directory, DriverLibraryKind kind) {
    const auto items = view_.List(directory);
    if (!items) return;
    for (const auto& item : *items) {
      if (item.kind == snapshot::FileKind::kDirectory || !IsDriverDll(item.name)) continue;
      DriverLibrary library{.name = base::FoldCase(item.name), .path = JoinPath(directory, item.name)};
      const snapshot::FileFacts& file = view_.Open(library.path);
      if (file.error != PathError::kNone) continue;
      library.real_path = view_.RealPath(library.path);
      const bool known = std::ranges::any_of(libraries, [&](const DriverLibrary& other) {
        return base::SameName(other.real_path, library.real_path);
      });
      if (known) continue;
      library.size = file.size;
      library.kind = kind;
      if (file.pe != nullptr && file.pe->version)
        library.version = NvidiaVersion(file.pe->version->file_version);
      libraries.push_back(std::move(library));
    }
  }
  // The directories of NVIDIA's packages in the store are named after their .inf: nv_dispi.inf_amd64_0123.
  void AddStore(const std::string& store) {
    const auto items = view_.List(store);
    if (!items) return;
    size_t packages = 0;
    for (const auto& item : *items) {
      if (!base::FoldCase(item.name).starts_with("nv") || ++packages > kMostDriverPackages) continue;
      Add(JoinPath(store, item.name), DriverLibraryKind::kStore);
    }
  }
  bool IsDirectory(const std::string& path) { return view_.Directory(path) == PathError::kNone; }

  std::vector<DriverLibrary> libraries;

 private:
  LiveFileView view_;
};

// What the display adapters of NVIDIA in the registry say.
Fact<std::string> RegistryVersion(const system::System& system) {
  const auto adapters = system.ReadRegistry(kDisplayClass);
  if (!adapters) return Fact<std::string>::Absent(kDisplayClass);
  for (const std::string& name : adapters->keys) {
    const std::string path = base::JoinPath(kDisplayClass, name);
    const auto adapter = system.ReadRegistry(path);
    if (!adapter) continue;
    if (base::FoldCase(RegistryValue(*adapter, "MatchingDeviceId")).find("ven_10de") == std::string::npos)
      continue;
    const std::string version = NvidiaVersion(RegistryValue(*adapter, "DriverVersion"));
    if (!version.empty()) return Fact<std::string>::Of(version, path);
  }
  return Fact<std::string>::Absent(kDisplayClass);
}

Fact<std::string> VersionOf(const Surroundings& around, const std::vector<DriverLibrary>& libraries,
                            const std::string& system32) {
  for (const char* name : {"nvcuda.dll", "nvml.dll"}) {
    for (const DriverLibrary& library : libraries) {
      if (library.kind != DriverLibraryKind::kDriver || library.name != name || library.version.empty())
        continue;
      return Fact<std::string>::Of(library.version, library.path);
    }
  }
  if (auto version = RegistryVersion(around.system)) return version;
  const bool there = std::ranges::any_of(libraries, [](const DriverLibrary& library) {
    return library.kind == DriverLibraryKind::kDriver && library.name == "nvcuda.dll";
  });
  if (there) {
    return Fact<std::string>::Unreadable("nvcuda.dll exists but contains no version",
                                         JoinPath(system32, "nvcuda.dll"));
  }
  return Fact<std::string>::Absent(JoinPath(system32, "nvcuda.dll"));
}

}  // namespace

const CollectorInfo kWindowsDriverCollector = {"driver", kWindowsDriverReads};

std::string NvidiaVersion(std::string_view file_version) {
  const auto parts = base::Split(file_version, '.');
  if (parts.size() != 4) return "";
  for (const std::string& part : parts) {
    if (part.empty() || part.size() > 5 || part.find_first_not_of("0123456789") != std::string::npos)
      return "";
  }
  if (parts[3].size() > 4) return "";
  const std::string last = std::string(4 - parts[3].size(), '0') + parts[3];
  const std::string digits = parts[2].substr(parts[2].size() - 1) + last;  // "5" + "6094"
  if (digits.starts_with('0')) return "";                                  // no driver below 100
  return digits.substr(0, 3) + "." + digits.substr(3);
}

Fact<Driver> CollectWindowsDriver(const Surroundings& around) {
  const std::string why = "not part of Windows";
  Driver driver;
  driver.modules = Fact<std::vector<std::string>>::NotApplicable(why);
  driver.module_files = Fact<std::vector<snapshot::ModuleFile>>::NotApplicable(why);
  driver.nodes = Fact<std::vector<snapshot::DeviceNode>>::NotApplicable(why);
  driver.fabric_manager = Fact<bool>::NotApplicable(why);
  driver.persistence = Fact<bool>::NotApplicable(why);

  const std::string windows = WindowsDirectory(around.environment);
  const std::string system32 = JoinPath(windows, "System32");
  WindowsDriverSearch search(around);
  const bool present = search.IsDirectory(system32);
  search.Add(system32, DriverLibraryKind::kDriver);
  search.AddStore(JoinPath(system32, "DriverStore/FileRepository"));
  search.Add(JoinPath(ProgramFiles(around.environment), "NVIDIA Corporation/NVSMI"),
             DriverLibraryKind::kDriver);
  // A copy that somebody put elsewhere would be found before or behind the driver's own.
  for (const std::string& element :
       PathElements(base::ValueOf(around.environment, "PATH"), around.working_directory))
    search.Add(element, DriverLibraryKind::kCopy);
  driver.libraries = std::move(search.libraries);
  driver.kernel_version = around.host_unseen && !present
                              ? Fact<std::string>::NotApplicable(std::string(kHostUnseen))
                              : VersionOf(around, driver.libraries, system32);
  return Fact<Driver>::Of(std::move(driver), "driver");
}

}  // namespace culprit::collect

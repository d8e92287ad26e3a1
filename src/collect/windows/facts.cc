#include "collect/windows/facts.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "base/windows/path.h"
#include "collect/live_file_view.h"
#include "collect/windows/places.h"
#include "collect/windows/stack.h"

namespace culprit::collect {
namespace {

using base::JoinPath;
using base::PathError;
using snapshot::Fact;
using snapshot::WindowsFacts;

constexpr std::array<std::string_view, 5> kRuntime = {"vcruntime140.dll", "vcruntime140_1.dll",
                                                      "msvcp140.dll", "concrt140.dll", "zlibwapi.dll"};

constexpr std::array<std::string_view, 20> kWindowsFactsReads = {
    "/C:/Windows/System32/ntoskrnl.exe",
    "HKLM/SYSTEM/CurrentControlSet/Control/Session Manager",
    "HKLM/SYSTEM/CurrentControlSet/Control/Session Manager/KnownDLLs",
    "HKLM/SYSTEM/CurrentControlSet/Control/Session Manager/Environment",
    "HKLM/SYSTEM/CurrentControlSet/Control/FileSystem",
    "HKLM/SOFTWARE/Microsoft/Windows NT/CurrentVersion",
    "HKCU/Environment",
    "$usual",
    "$PATH",
    "$CUDA_PATH*/bin/**",
    "$CUDNN_PATH*/bin/**",
    "$prefix/*",
    "$site",
    "$CONDA_PREFIX/Library/bin",
    // in those directories
    "/**/kernel32.dll",
    "/**/vcruntime140.dll",
    "/**/vcruntime140_1.dll",
    "/**/msvcp140.dll",
    "/**/concrt140.dll",
    "/**/zlibwapi.dll",
};

constexpr char kSessionManager[] = "HKLM/SYSTEM/CurrentControlSet/Control/Session Manager";
constexpr char kCurrentVersion[] = "HKLM/SOFTWARE/Microsoft/Windows NT/CurrentVersion";
constexpr char kFileSystem[] = "HKLM/SYSTEM/CurrentControlSet/Control/FileSystem";

// "10.0.19045": the registry's words for it, else those of a file of the system.
std::string VersionOf(const system::System& system, LiveFileView& view, const std::string& system32) {
  if (const auto key = system.ReadRegistry(kCurrentVersion)) {
    std::string major = RegistryValue(*key, "CurrentMajorVersionNumber");  // since Windows 10
    std::string minor = RegistryValue(*key, "CurrentMinorVersionNumber");
    const std::string build = RegistryValue(*key, "CurrentBuildNumber");
    if (major.empty() || minor.empty()) {
      major = RegistryValue(*key, "CurrentVersion");  // "6.1"
      minor.clear();
    }
    if (!major.empty() && !build.empty()) return major + (minor.empty() ? "" : "." + minor) + "." + build;
  }
  for (const char* name : {"ntoskrnl.exe", "kernel32.dll"}) {
    const snapshot::FileFacts& file = view.Open(JoinPath(system32, name));
    if (file.error != PathError::kNone || file.pe == nullptr || !file.pe->version) continue;
    const auto parts = base::Split(file.pe->version->product_version, '.');
    if (parts.size() >= 3) return parts[0] + "." + parts[1] + "." + parts[2];
  }
  return "";
}

// The values are names of DLLs; those that begin with "DllDirectory" are directories, and what begins with
// '_' are names of the 32-bit emulation.
std::vector<std::string> KnownDllsOf(const system::System& system) {
  std::vector<std::string> names;
  const auto key = system.ReadRegistry(base::JoinPath(kSessionManager, "KnownDLLs"));
  if (!key) return names;
  for (const auto& [name, value] : key->values) {
    const std::string dll = base::FoldCase(value);
    if (base::FoldCase(name).starts_with("dlldirectory") || !dll.ends_with(".dll")) continue;
    names.push_back(dll);
  }
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

Fact<std::string> PathIn(const system::System& system, const std::string& key, const Variables& variables) {
  const auto read = system.ReadRegistry(key);
  if (!read && read.error() == PathError::kNoEntry) return Fact<std::string>::Absent(key);
  if (!read) {
    const bool no_registry = read.error() == PathError::kNotRecorded;
    return Fact<std::string>::Unreadable(
        no_registry ? "the registry is not available" : std::string(base::Strerror(read.error())), key);
  }
  const bool there = std::ranges::any_of(
      read->values, [](const auto& value) { return base::SameName(value.first, "Path"); });
  if (!there) return Fact<std::string>::Absent(key);
  return Fact<std::string>::Of(ExpandVariables(RegistryValue(*read, "Path"), variables), key);
}

// Copies of the runtime in these directories, behind those that are known.
void AddRuntime(LiveFileView& view, const std::vector<std::string>& directories, WindowsFacts& facts) {
  std::set<std::string> known;
  for (const auto& copy : facts.runtime) known.insert(base::FoldCase(view.RealPath(copy.path)));
  for (const std::string& directory : directories) {
    if (view.Directory(directory) != PathError::kNone) continue;
    for (const std::string_view name : kRuntime) {
      const std::string path = JoinPath(directory, name);
      const snapshot::FileFacts& file = view.Open(path);
      if (file.error != PathError::kNone || file.kind != snapshot::FileKind::kRegular) continue;
      if (!known.insert(base::FoldCase(view.RealPath(path))).second) continue;
      snapshot::WindowsRuntime copy{.name = std::string(name), .path = path};
      if (file.pe != nullptr && file.pe->machine != 0) copy.machine = binfmt::PeMachineName(file.pe->machine);
      if (file.pe != nullptr && file.pe->version) copy.version = file.pe->version->file_version;
      facts.runtime.push_back(std::move(copy));
    }
  }
}

}  // namespace

const CollectorInfo kWindowsFactsCollector = {"windows", kWindowsFactsReads};

base::Cpu WindowsCpu(const system::System& system, const WindowsFacts& facts) {
  base::Cpu cpu = system.HostCpu();
  std::string machine = "x86_64";
  LiveFileView view(system);
  const snapshot::FileFacts& file = view.Open(JoinPath(facts.directory, "System32/kernel32.dll"));
  if (file.pe != nullptr && file.pe->machine == binfmt::kPeMachineArm64) machine = "aarch64";
  if (file.pe != nullptr && file.pe->machine == binfmt::kPeMachine386) machine = "i686";
  if (cpu.machine == machine) return cpu;
  return {.machine = machine, .platform = machine, .isa_levels = {}, .legacy_caps = {}, .page_size = 4096};
}

Fact<WindowsFacts> CollectWindows(const system::System& system, const Variables& variables,
                                  const std::string& working_directory) {
  if (system.platform() != base::Platform::kWindows)
    return Fact<WindowsFacts>::NotApplicable("not a Windows machine");
  LiveFileView view(system);
  WindowsFacts facts;
  facts.directory = WindowsDirectory(variables);
  const std::string system32 = JoinPath(facts.directory, "System32");
  facts.present = view.Open(JoinPath(system32, "kernel32.dll")).kind == snapshot::FileKind::kRegular;
  facts.version = VersionOf(system, view, system32);
  facts.known_dlls = KnownDllsOf(system);
  facts.safe_search = RegistryText(system, kSessionManager, "SafeDllSearchMode") != "0";
  facts.long_paths = RegistryText(system, kFileSystem, "LongPathsEnabled") == "1";
  // What is not in this environment Windows knows of itself.
  Variables known = variables;
  known.emplace("SYSTEMROOT", base::ToWindowsPath(facts.directory));
  known.emplace("WINDIR", base::ToWindowsPath(facts.directory));
  facts.machine_path = PathIn(system, base::JoinPath(kSessionManager, "Environment"), known);
  facts.user_path = PathIn(system, "HKCU/Environment", known);

  std::vector<std::string> directories = {system32, facts.directory};
  if (const auto path = variables.find("PATH"); path != variables.end()) {
    for (std::string& element : PathElements(path->second, working_directory))
      directories.push_back(std::move(element));
  }
  AddRuntime(view, directories, facts);
  const std::string source = "the registry and " + facts.directory;
  return Fact<WindowsFacts>::Of(std::move(facts), source);
}

Fact<WindowsFacts> CollectWindows(const Surroundings& around,
                                  std::span<const snapshot::PythonEnvironment> environments) {
  auto facts = CollectWindows(around.system, around.environment, around.working_directory);
  if (!facts) return facts;
  LiveFileView view(around.system);
  AddRuntime(view, DllPlaces(around, environments, view), *facts.value);
  return facts;
}

}  // namespace culprit::collect

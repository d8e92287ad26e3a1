#include "collect/windows/places.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "base/windows/path.h"
#include "collect/windows/dll_name.h"
#include "knowledge/libraries.h"
#include "snapshot/directory_set.h"

namespace culprit::collect {
namespace {

using base::FromWindowsPath;
using base::JoinPath;

constexpr size_t kMostUsers = 64;
constexpr size_t kMostElements = 512;  // of one PATH

constexpr char kMachineEnvironment[] = "HKLM/SYSTEM/CurrentControlSet/Control/Session Manager/Environment";

std::string Of(const Variables& variables, const std::string& name) {
  const auto found = variables.find(name);
  return found == variables.end() ? "" : found->second;
}

using Places = snapshot::DirectorySet;

// A toolkit's or cuDNN's own directory: DLLs lie in bin, since CUDA 13 in bin\x64, and cuDNN's installer
// makes bin\12.6.
void AddInstallation(const std::string& root, snapshot::FileView& view, Places& places) {
  if (root.empty() || view.Directory(root) != base::PathError::kNone) return;
  places.Add(JoinPath(root, "bin"));
  places.AddPattern(JoinPath(root, "bin/*"));
  places.AddPattern(JoinPath(root, "bin/*/x64"));
}

// CUDA_PATH, CUDA_PATH_V12_4, CUDA_HOME, CUDNN_PATH ...
std::vector<std::string> NamedInstallations(const Surroundings& around) {
  std::vector<std::string> roots;
  for (const auto& [name, value] : around.environment) {
    const bool cuda = name.starts_with("CUDA_PATH") || name == "CUDA_HOME" || name == "CUDA_ROOT";
    const bool cudnn = name == "CUDNN" || name.starts_with("CUDNN_PATH") || name == "CUDNN_HOME" ||
                       name == "CUDNN_ROOT" || name == "CUDNN_ROOT_DIR";
    if ((cuda || cudnn) && !value.empty()) roots.push_back(FromWindowsPath(value, around.working_directory));
  }
  return roots;
}

}  // namespace

std::string RegistryValue(const system::RegistryKey& key, std::string_view value) {
  for (const auto& [name, text] : key.values) {
    if (base::SameName(name, value)) return text;
  }
  return "";
}

std::string RegistryText(const system::System& system, const std::string& key, std::string_view value) {
  const auto read = system.ReadRegistry(key);
  return read ? RegistryValue(*read, value) : "";
}

std::string DirectoryVariable(const Surroundings& around, const std::string& name) {
  const std::string value = base::ValueOf(around.environment, name);
  return value.empty() ? "" : FromWindowsPath(value, around.working_directory);
}

std::vector<std::string> PathElements(std::string_view list, std::string_view working_directory) {
  std::vector<std::string> elements;
  for (std::string element : base::Split(list, ';')) {
    std::erase(element, '"');
    if (base::Trim(element).empty()) continue;
    elements.push_back(FromWindowsPath(base::Trim(element), working_directory));
    if (elements.size() == kMostElements) break;
  }
  return elements;
}

std::string ExpandVariables(std::string_view text, const Variables& variables) {
  std::string expanded;
  while (!text.empty()) {
    const size_t open = text.find('%');
    const size_t close = open == std::string_view::npos ? open : text.find('%', open + 1);
    if (close == std::string_view::npos) break;
    const std::string_view name = text.substr(open + 1, close - open - 1);
    const Variables one = EnvironmentOf(base::Platform::kWindows, {{std::string(name), ""}});
    const auto found = variables.find(one.begin()->first);
    if (found == variables.end()) {
      expanded += text.substr(0, close);  // the second sign may open a name of its own
      text.remove_prefix(close);
      continue;
    }
    expanded += text.substr(0, open);
    expanded += found->second;
    text.remove_prefix(close + 1);
  }
  return expanded += text;
}

std::string WindowsDirectory(const Variables& variables) {
  for (const char* name : {"SYSTEMROOT", "WINDIR"}) {
    if (const std::string value = Of(variables, name); !value.empty()) return FromWindowsPath(value);
  }
  return "/C:/Windows";
}

std::string ProgramFiles(const Variables& variables) {
  // A 32-bit program has ProgramFiles = "C:\Program Files (x86)"; what is meant stands in ProgramW6432.
  for (const char* name : {"PROGRAMW6432", "PROGRAMFILES"}) {
    if (const std::string value = Of(variables, name); !value.empty()) return FromWindowsPath(value);
  }
  return "/C:/Program Files";
}

std::vector<std::string> UserDirectories(const Surroundings& around) {
  if (const std::string home = DirectoryVariable(around, "USERPROFILE"); !home.empty()) return {home};
  std::vector<std::string> homes;
  if (!around.host_unseen) return homes;
  const auto entries = around.system.List("/C:/Users");
  if (!entries) return homes;
  for (const auto& entry : *entries) {
    if (entry.type == system::FileType::kDirectory && homes.size() < kMostUsers)
      homes.push_back("/C:/Users/" + entry.name);
  }
  return homes;
}

namespace {

bool HoldsCudnn(const std::vector<system::DirectoryEntry>& entries) {
  return std::ranges::any_of(entries, [](const system::DirectoryEntry& entry) {
    return entry.type != system::FileType::kDirectory && ParseCudnnDll(entry.name);
  });
}

// A tree that somebody handed over (--root) has its cuDNN anywhere; it is gone through, within limits.
// Packages of Python and Windows itself have places of their own.
void AddTree(const Surroundings& around, Places& places) {
  constexpr size_t kMostInTree = 3000, kDeepestInTree = 6;
  static constexpr std::array<std::string_view, 6> kElsewhere = {
      "windows", "site-packages", "$recycle.bin", "node_modules", ".git", "system volume information"};
  std::vector<std::pair<std::string, size_t>> waiting = {{"/C:", 0}};
  for (size_t next = 0; next < waiting.size() && next < kMostInTree; ++next) {
    const auto [directory, depth] = waiting[next];
    const auto entries = around.system.List(directory);
    if (!entries) continue;
    if (HoldsCudnn(*entries)) places.Add(directory);
    for (const system::DirectoryEntry& entry : *entries) {
      if (entry.type != system::FileType::kDirectory || depth == kDeepestInTree) continue;
      const bool elsewhere = std::ranges::find(kElsewhere, base::FoldCase(entry.name)) != kElsewhere.end();
      if (!elsewhere) waiting.emplace_back(JoinPath(directory, entry.name), depth + 1);
    }
  }
}

}  // namespace

std::vector<std::string> DllPlaces(const Surroundings& around,
                                   std::span<const snapshot::PythonEnvironment> environments,
                                   snapshot::FileView& view) {
  Places places(view);
  for (const std::string& program : around.programs) places.Add(std::string(base::DirName(program)));
  for (const std::string& element :
       PathElements(base::ValueOf(around.environment, "PATH"), around.working_directory))
    places.Add(element);
  for (const char* key : {kMachineEnvironment, "HKCU/Environment"}) {
    const std::string list = ExpandVariables(RegistryText(around.system, key, "Path"), around.environment);
    for (const std::string& element : PathElements(list, around.working_directory)) places.Add(element);
  }
  const std::string windows = WindowsDirectory(around.environment);
  places.Add(JoinPath(windows, "System32"));
  places.Add(windows);
  if (around.host_unseen) places.Add("/C:");
  for (const std::string_view pattern : knowledge::UsualWindowsDirectories())
    places.AddPattern(std::string(pattern));
  for (const std::string& root : NamedInstallations(around)) AddInstallation(root, view, places);
  for (const char* name : {"CONDA_PREFIX", "VIRTUAL_ENV"}) {
    if (const std::string prefix = DirectoryVariable(around, name); !prefix.empty()) {
      places.Add(JoinPath(prefix, "Library/bin"));
      places.Add(prefix);
    }
  }
  for (const snapshot::PythonEnvironment& environment : environments) {
    for (const std::string& site : environment.site_packages) {
      if (view.Directory(site) != base::PathError::kNone) continue;
      for (const std::string_view below : knowledge::UsualWindowsPythonDirectories())
        places.AddPattern(JoinPath(site, below));
    }
    if (!environment.interpreter.empty()) places.Add(std::string(base::DirName(environment.interpreter)));
    places.Add(environment.prefix);
    places.Add(JoinPath(environment.prefix, "Library/bin"));
    places.Add(JoinPath(environment.prefix, "DLLs"));
  }
  if (around.host_unseen) AddTree(around, places);
  return places.Take();
}

}  // namespace culprit::collect

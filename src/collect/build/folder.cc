// Collector of build folders. Reads only the targets: the files of the build system, the first bytes of its
// results, and the headers, compilers and toolkits that those files name, wherever they are.
#include "collect/build/folder.h"

#include <algorithm>

#include "base/text.h"
#include "collect/build/parts.h"
#include "collect/toolkit/c_header.h"
#include "collect/toolkit/host_compiler.h"
#include "collect/toolkit/nvcc.h"
#include "collect/toolkit/search.h"

namespace culprit::collect {
namespace {

using snapshot::BuildFolder;
using snapshot::BuildItem;
using snapshot::BuildSetting;
using snapshot::BuildSystem;

// The root of the toolkit that a file belongs to: the nearest directory above with a toolkit in it.
std::string ToolkitRoot(const system::System& system, std::string path) {
  constexpr int kMostAbove = 6;
  for (int i = 0; i < kMostAbove && path.size() > 1; ++i) {
    for (const char* mark : {"version.json", "version.txt", "bin/nvcc"}) {
      if (system.Stat(base::JoinPath(path, mark))) return path;
    }
    path = base::DirName(path);
  }
  return "";
}

std::string ToolkitVersionAt(const system::System& system, const std::string& path) {
  if (path.ends_with("/cuda.h")) {
    const auto text = system::ReadWholeFile(system, path, kBuildFileLimit);
    if (text) return CudaHeaderVersion(*text);
  }
  const auto real = system.RealPath(path);
  const std::string root = real ? ToolkitRoot(system, *real) : "";
  if (root.empty() || root == "/usr") return "";
  ToolkitSearch search(system);
  search.Add(root, snapshot::ToolkitKind::kToolkit);
  const auto found = search.Take();
  return found.empty() ? "" : found.front().version;
}

// A variable names the directory, or the header itself.
void FindCudnnHeader(const system::System& system, BuildSetting& setting) {
  for (const char* name : {"", "cudnn_version.h", "cudnn.h"}) {
    const std::string path = *name == 0 ? setting.value : base::JoinPath(setting.value, name);
    const auto text = system::ReadWholeFile(system, path, kBuildFileLimit);
    if (!text) continue;
    setting.value = path;
    setting.version = CudnnHeaderVersion(*text);
    if (!setting.version.empty()) return;
  }
}

void AddVersion(const system::System& system, BuildSetting& setting) {
  switch (setting.item) {
    case BuildItem::kNvcc:
      // The file as it is now; what the build system wrote down is older.
      if (const Nvcc nvcc = ReadNvcc(system, setting.value); !nvcc.version.empty())
        setting.version = nvcc.version;
      break;
    case BuildItem::kToolkitFile:
      setting.version = ToolkitVersionAt(system, setting.value);
      break;
    case BuildItem::kCudnnHeader:
      FindCudnnHeader(system, setting);
      break;
    default:
      break;
  }
}

bool HasEntry(const system::System& system, const std::string& path, std::string_view prefix) {
  const auto entries = system.List(path);
  return entries && std::ranges::any_of(*entries, [&](const auto& entry) {
           return entry.name.starts_with(prefix) && entry.type == system::FileType::kDirectory;
         });
}

// CMAKE_CUDA_ARCHITECTURES and CMAKE_CUDA_FLAGS are defaults: what a call says counts more. Without any call
// they count together.
void SettleArchitectures(BuildFolder& folder) {
  const auto is_default = [](const BuildSetting& setting) {
    return setting.item == BuildItem::kArchitectures && setting.name.starts_with("CMAKE_");
  };
  const bool called = std::ranges::any_of(folder.settings, [&](const BuildSetting& setting) {
    return setting.item == BuildItem::kArchitectures && !is_default(setting);
  });
  const auto first = std::ranges::find_if(folder.settings, is_default);
  if (first == folder.settings.end()) return;
  BuildSetting together = *first;
  for (auto other = first + 1; other != folder.settings.end(); ++other) {
    if (is_default(*other)) together.value += " " + other->value;
  }
  std::erase_if(folder.settings, is_default);
  if (!called) folder.settings.push_back(std::move(together));
}

BuildFolder ReadFolder(const Surroundings& around, const std::string& path) {
  const system::System& system = around.system;
  BuildFolder folder{.path = path};
  ReadCompileCommands(system, folder);  // what is really passed counts more than defaults
  WalkBuildFolder(system, folder);
  ReadCmake(system, folder);
  ReadMeson(system, folder);
  SettleArchitectures(folder);
  if (folder.system == BuildSystem::kUnknown) {
    folder.system = HasEntry(system, path, "temp.") || HasEntry(system, path, "lib.")
                        ? BuildSystem::kSetuptools
                        : BuildSystem::kNinja;
  }
  for (BuildSetting& setting : folder.settings) AddVersion(system, setting);
  if (!folder.host_compiler.path.empty()) {
    const std::string because = folder.host_compiler.source;
    folder.host_compiler = CompilerAt(around, folder.host_compiler.path, because);
  }
  return folder;
}

}  // namespace

bool IsBuildFolder(const system::System& system, const std::string& path) {
  for (const char* name : {"CMakeCache.txt", "meson-info", "compile_commands.json", "build.ninja"}) {
    if (system.Stat(base::JoinPath(path, name))) return true;
  }
  return HasEntry(system, path, "temp.linux-") || HasEntry(system, path, "lib.linux-");
}

snapshot::Fact<std::vector<BuildFolder>> CollectBuilds(const Surroundings& around) {
  using Builds = snapshot::Fact<std::vector<BuildFolder>>;
  if (around.builds.empty()) return {};
  if (around.system.platform() == base::Platform::kWindows)
    return Builds::NotApplicable("culprit reads build folders only on Linux");
  std::vector<BuildFolder> folders;
  for (const std::string& path : around.builds) folders.push_back(ReadFolder(around, path));
  return Builds::Of(std::move(folders), "files of the build systems");
}

}  // namespace culprit::collect

// CMake keeps its decisions in CMakeCache.txt as NAME:TYPE=VALUE, and what it found out about the CUDA
// compiler in CMakeFiles/VERSION/CMakeCUDACompiler.cmake as set(NAME "VALUE")
// (https://cmake.org/cmake/help/latest/manual/cmake.1.html, "CMake cache").
#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"
#include "collect/build/parts.h"

namespace culprit::collect {
namespace {

using snapshot::BuildFolder;
using snapshot::BuildItem;
using snapshot::BuildSetting;

struct CacheEntry {
  std::string name, type, value, source;
};

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

std::vector<CacheEntry> ReadCache(const std::string& text, const std::string& path) {
  std::vector<CacheEntry> entries;
  size_t number = 0;
  for (const std::string& raw : base::Split(text, '\n')) {
    ++number;
    const std::string line(base::Trim(raw));
    if (line.empty() || line.starts_with('#') || line.starts_with("//")) continue;
    const size_t colon = line.find(':');
    const size_t equal = line.find('=', colon == std::string::npos ? 0 : colon);
    if (colon == std::string::npos || equal == std::string::npos) continue;
    entries.push_back({line.substr(0, colon), line.substr(colon + 1, equal - colon - 1),
                       line.substr(equal + 1), path + ":" + std::to_string(number)});
  }
  return entries;
}

bool IsOfCuda(std::string_view lower) {
  constexpr std::array<std::string_view, 6> kWords = {"cuda", "cudnn", "nvcc", "nccl", "tensorrt", "cublas"};
  return std::ranges::any_of(kWords, [&](std::string_view word) { return base::Contains(lower, word); });
}

// Where the files of the toolkit come from: CMake's FindCUDAToolkit and the older FindCUDA.
bool IsToolkitFile(std::string_view name) {
  constexpr std::array<std::string_view, 9> kNames = {
      "CUDAToolkit_ROOT",        "CUDA_TOOLKIT_ROOT_DIR", "CUDAToolkit_BIN_DIR",
      "CUDAToolkit_INCLUDE_DIR", "CUDA_TOOLKIT_INCLUDE",  "CUDA_CUDART",
      "CUDA_CUDART_LIBRARY",     "CUDA_cudart_LIBRARY",   "CUDA_cudart_static_LIBRARY"};
  return std::ranges::find(kNames, name) != kNames.end();
}

BuildItem ItemOf(const CacheEntry& entry, const std::string& lower, std::string_view value) {
  if (entry.name == "CMAKE_CUDA_COMPILER" || entry.name == "CUDA_NVCC_EXECUTABLE" ||
      entry.name == "CUDAToolkit_NVCC_EXECUTABLE")
    return BuildItem::kNvcc;
  if (IsToolkitFile(entry.name)) return BuildItem::kToolkitFile;
  const bool cudnn = base::Contains(lower, "cudnn") && !base::Contains(lower, "frontend");
  if (cudnn && base::BaseName(value).starts_with("libcudnn")) return BuildItem::kCudnnLibrary;
  if (cudnn && base::Contains(lower, "include")) return BuildItem::kCudnnHeader;
  return BuildItem::kOther;
}

void AddPaths(const CacheEntry& entry, BuildFolder& folder) {
  const std::string lower = Lower(entry.name);
  if (!IsOfCuda(lower) || base::Contains(lower, "install") || entry.type == "INTERNAL" ||
      entry.type == "STATIC" || entry.type == "BOOL" || base::Contains(lower, "flags"))
    return;
  if (entry.value.ends_with("-NOTFOUND")) {
    const bool library = base::Contains(lower, "lib"), header = base::Contains(lower, "include");
    const bool cudnn =
        lower.starts_with("cudnn") && !base::Contains(lower, "frontend") && (library || header);
    if (entry.name == "CMAKE_CUDA_COMPILER" || cudnn)
      AddSetting(folder, {BuildItem::kNotFound, entry.name, "", "", entry.source});
    return;
  }
  for (const std::string& value : base::SplitWords(entry.value, ";")) {
    if (!value.starts_with('/') || base::Contains(value, "$")) continue;
    AddSetting(folder, {ItemOf(entry, lower, value), entry.name, base::CleanPath(value), "", entry.source});
  }
}

void AddEntry(const system::System& system, const CacheEntry& entry, BuildFolder& folder) {
  if (entry.name == "CMAKE_HOME_DIRECTORY") folder.project = entry.value;
  if (entry.name == "CMAKE_CACHE_MAJOR_VERSION") folder.system_version = entry.value;
  if (entry.name == "CMAKE_CACHE_MINOR_VERSION") folder.system_version += "." + entry.value;
  if (entry.name == "CMAKE_CUDA_HOST_COMPILER" && entry.value.starts_with('/')) {
    folder.host_compiler.path = entry.value;
    folder.host_compiler.source = "chosen by " + entry.name + " in " + entry.source;
    return;
  }
  if (entry.name == "CMAKE_BUILD_RPATH" || entry.name == "CMAKE_INSTALL_RPATH") {
    for (const std::string& directory : base::SplitWords(entry.value, ";:"))
      AddSetting(folder, {BuildItem::kRunPath, entry.name, directory, "", entry.source});
    return;
  }
  if (base::Contains(entry.name, "_FLAGS")) {
    AddFlags(system, ReadFlags(ShellWords(entry.value), /*with_program=*/false), entry.name, entry.source,
             folder);
    return;
  }
  AddPaths(entry, folder);
}

// set(CMAKE_CUDA_COMPILER_VERSION "12.4.131")
void ReadCompilerFile(const std::string& text, const std::string& path, BuildFolder& folder) {
  std::string nvcc, version, source;
  size_t number = 0;
  for (const std::string& raw : base::Split(text, '\n')) {
    ++number;
    const std::string_view line = base::Trim(raw);
    const size_t open = line.find('"'), close = line.rfind('"');
    if (!line.starts_with("set(") || open == std::string_view::npos || close <= open) continue;
    const std::string name(base::Trim(line.substr(4, open - 4)));
    const std::string value(line.substr(open + 1, close - open - 1));
    if (name == "CMAKE_CUDA_COMPILER") nvcc = value;
    if (name == "CMAKE_CUDA_COMPILER") source = path + ":" + std::to_string(number);
    if (name == "CMAKE_CUDA_COMPILER_VERSION") version = value;
    if (name == "CMAKE_CUDA_HOST_COMPILER" && value.starts_with('/') && folder.host_compiler.path.empty()) {
      folder.host_compiler.path = value;
      folder.host_compiler.source = "chosen by " + name + " in " + path + ":" + std::to_string(number);
    }
  }
  if (nvcc.empty()) return;
  for (BuildSetting& setting : folder.settings) {
    if (setting.item == BuildItem::kNvcc && setting.value == nvcc) {
      setting.version = version;
      return;
    }
  }
  folder.settings.insert(folder.settings.begin(),
                         {BuildItem::kNvcc, "CMAKE_CUDA_COMPILER", nvcc, version, source});
}

}  // namespace

void ReadCmake(const system::System& system, BuildFolder& folder) {
  const std::string path = base::JoinPath(folder.path, "CMakeCache.txt");
  const auto text = system::ReadWholeFile(system, path, kBuildFileLimit);
  if (!text) {
    if (text.error() != base::PathError::kNoEntry) folder.unread.push_back(path);
    return;
  }
  folder.system = snapshot::BuildSystem::kCmake;
  const std::vector<CacheEntry> entries = ReadCache(*text, path);
  for (const CacheEntry& entry : entries) AddEntry(system, entry, folder);
  const std::string files = base::JoinPath(folder.path, "CMakeFiles");
  if (const auto versions = system.List(files)) {
    for (const auto& version : *versions) {
      const std::string compiler =
          base::JoinPath(base::JoinPath(files, version.name), "CMakeCUDACompiler.cmake");
      if (const auto found = system::ReadWholeFile(system, compiler, kBuildFileLimit))
        ReadCompilerFile(*found, compiler, folder);
    }
  }
  // The flags of a call say more; this is the default of every target.
  for (const CacheEntry& entry : entries) {
    if (entry.name != "CMAKE_CUDA_ARCHITECTURES") continue;
    std::string codes;
    for (const std::string& code : CmakeArchitectures(entry.value))
      codes += (codes.empty() ? "" : " ") + code;
    if (!codes.empty())
      folder.settings.push_back({BuildItem::kArchitectures, entry.name, codes, "", entry.source});
  }
}

}  // namespace culprit::collect

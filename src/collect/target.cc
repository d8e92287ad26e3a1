#include "collect/target.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/text.h"
#include "base/windows/path.h"
#include "collect/build/folder.h"
#include "collect/recipe/recipe.h"

namespace culprit::collect {
namespace {

using base::PathError;
using system::FileType;
using system::System;

bool Exists(const System& system, const std::string& directory, const char* name) {
  return system.Stat(base::JoinPath(directory, name)).has_value();
}

bool IsEnvironment(const System& system, const std::string& directory) {
  return Exists(system, directory, "pyvenv.cfg") || Exists(system, directory, "conda-meta");
}

// The name in a directory whatever its case: a tree of Windows files may lie on a system that tells them
// apart.
std::string Named(const System& system, const std::string& directory, std::string_view name) {
  if (const auto entries = system.List(directory)) {
    for (const auto& entry : *entries) {
      if (base::SameName(entry.name, name)) return base::JoinPath(directory, entry.name);
    }
  }
  return "";
}

bool IsWindowsRoot(const System& system, const std::string& path) {
  const std::string windows = Named(system, path, "Windows");
  return !windows.empty() && !Named(system, windows, "System32").empty();
}

// python.exe with its library: an installation of python.org, an embedded one, a venv without its mark.
bool IsWindowsPython(const System& system, const std::string& path) {
  const std::string scripts = Named(system, path, "Scripts");
  if (!scripts.empty() && !Named(system, scripts, "python.exe").empty()) return true;
  if (Named(system, path, "python.exe").empty()) return false;
  if (!Named(system, path, "Lib").empty()) return true;
  const auto entries = system.List(path);
  return entries && std::ranges::any_of(*entries, [](const system::DirectoryEntry& entry) {
           return base::FoldCase(entry.name).ends_with("._pth");
         });
}

// What in a folder can be checked by its name.
std::string RecipesIn(const System& system, const std::string& path) {
  std::string names;
  for (const char* name : {"Dockerfile", "Containerfile", "compose.yaml", "compose.yml",
                           "docker-compose.yaml", "docker-compose.yml"}) {
    if (Exists(system, path, name)) names += (names.empty() ? "" : " or ") + std::string(name);
  }
  return names.empty() ? "" : "; name " + names + " in it to check that";
}

base::Result<Target> ClassifyDirectory(const System& system, const std::string& path) {
  if (IsEnvironment(system, path)) return Target{TargetKind::kEnvironment, path};
  if (IsWindowsRoot(system, path)) return Target{TargetKind::kRootFileSystem, path};
  if (IsWindowsPython(system, path)) return Target{TargetKind::kEnvironment, path};
  if (Exists(system, path, "etc") && (Exists(system, path, "usr") || Exists(system, path, "lib"))) {
    return Target{TargetKind::kRootFileSystem, path};
  }
  if (IsBuildFolder(system, path)) return Target{TargetKind::kBuildFolder, path};
  if (const auto entries = system.List(path)) {
    for (const auto& entry : *entries) {  // what `pip install --target` leaves
      if (entry.name.ends_with(".dist-info")) return Target{TargetKind::kEnvironment, path};
    }
  }
  for (const char* name : {".venv", "venv"}) {
    const std::string inner = base::JoinPath(path, name);
    if (IsEnvironment(system, inner)) return Target{TargetKind::kEnvironment, inner};
  }
  if (const std::string inner = base::JoinPath(path, "build"); IsBuildFolder(system, inner))
    return Target{TargetKind::kBuildFolder, inner};
  return base::Fail(
      base::ErrorCode::kBadFormat,
      path +
          ": neither a Python environment (no pyvenv.cfg, no conda-meta), nor a build folder (no "
          "CMakeCache.txt, meson-info or compile_commands.json), nor a root file system" +
          RecipesIn(system, path));
}

// bin/python3 of an environment stands for the environment.
bool IsInterpreterOf(const System& system, const std::string& path, std::string& prefix) {
  if (!base::BaseName(path).starts_with("python") || base::BaseName(base::DirName(path)) != "bin")
    return false;
  prefix = base::DirName(base::DirName(path));
  return IsEnvironment(system, prefix);
}

// The same of Windows: PREFIX\Scripts\python.exe of a venv, PREFIX\python.exe of all others.
bool IsWindowsInterpreterOf(const System& system, const std::string& path, std::string& prefix) {
  const std::string name = base::FoldCase(base::BaseName(path));
  if (!name.starts_with("python") || !name.ends_with(".exe")) return false;
  prefix = base::DirName(path);
  if (base::SameName(base::BaseName(prefix), "Scripts")) prefix = base::DirName(prefix);
  return IsEnvironment(system, prefix) || IsWindowsPython(system, prefix);
}

}  // namespace

base::Result<Target> ClassifyTarget(const System& system, const std::string& path) {
  const auto file = system.Open(path);
  if (!file) {
    return base::Fail(
        file.error() == PathError::kNoEntry ? base::ErrorCode::kNotFound : base::ErrorCode::kNotReadable,
        path + ": " + std::string(base::Strerror(file.error())));
  }
  if (file->status.type == FileType::kDirectory) return ClassifyDirectory(system, path);
  if (!file->bytes) return base::Fail(base::ErrorCode::kBadFormat, path + ": not a regular file");
  std::array<std::byte, 4096> head{};
  const auto size = file->bytes->ReadAt(0, head);
  if (!size) return std::unexpected(size.error());
  const std::string_view text(reinterpret_cast<const char*>(head.data()), *size);
  std::string prefix;
  if (text.starts_with("\x7f"
                       "ELF")) {
    if (IsInterpreterOf(system, path, prefix)) return Target{TargetKind::kEnvironment, prefix};
    return Target{TargetKind::kProgram, path};
  }
  if (text.starts_with("MZ")) {
    if (IsWindowsInterpreterOf(system, path, prefix)) return Target{TargetKind::kEnvironment, prefix};
    return Target{TargetKind::kProgram, path};
  }
  if (text.starts_with("PK\x03\x04") && path.ends_with(".whl")) return Target{TargetKind::kWheel, path};
  if (LooksLikeRecipe(path, text)) return Target{TargetKind::kRecipe, path};
  if (base::Trim(text).starts_with('{')) return Target{TargetKind::kSnapshot, path};
  return base::Fail(
      base::ErrorCode::kBadFormat,
      path + ": not a program, library, environment, image, recipe, root file system, wheel or snapshot" +
          (text.starts_with("#!") ? "; it is a script: name its interpreter or environment instead" : ""));
}

}  // namespace culprit::collect

// What kind of TARGET the user gave to `culprit check`, from the file or directory itself.
#pragma once

#include <string>

#include "base/error.h"
#include "system/system.h"

namespace culprit::collect {

enum class TargetKind {
  kProgram,         // ELF or PE: a program or a library
  kEnvironment,     // a virtual or conda environment, by its directory or its interpreter
  kBuildFolder,     // a directory that CMake, Meson or setuptools builds in
  kRootFileSystem,  // a directory with /etc and /usr in it, or with Windows/System32
  kWheel,
  kSnapshot,
  kRecipe,  // a Dockerfile, a compose file, a Kubernetes manifest
};

struct Target {
  TargetKind kind = TargetKind::kProgram;
  std::string path;  // absolute; of an environment its prefix
};

// `path` is absolute. Anything else is an error with a hint. Reads at most the first 4 KiB of a file.
base::Result<Target> ClassifyTarget(const system::System& system, const std::string& path);

}  // namespace culprit::collect

// What a TARGET of `culprit check` is, told from the file or directory itself.
#pragma once

#include <string>

#include "base/error.h"
#include "system/system.h"

namespace culprit::collect {

enum class TargetKind {
  kProgram,         // ELF or PE: a program or a library
  kEnvironment,     // a virtual or conda environment, by its directory or its interpreter
  kRootFileSystem,  // a directory with /etc and /usr in it, or with Windows/System32
  kWheel,
  kSnapshot,
};

struct Target {
  TargetKind kind = TargetKind::kProgram;
  std::string path;  // absolute; of an environment its prefix
};

// `path` is absolute. Something that is none of these is an error with a hint.
base::Result<Target> ClassifyTarget(const system::System& system, const std::string& path);

}  // namespace culprit::collect

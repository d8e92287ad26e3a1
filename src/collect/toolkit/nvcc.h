// The version of an nvcc, without running it.
#pragma once

#include <string>

#include "system/system.h"

namespace culprit::collect {

struct Nvcc {
  std::string program;  // the binary, which a wrapper script may start; "" = not found
  std::string version;  // "13.0.88"; "" = unknown
  std::string release;  // "13.0"
};

// `path` may be a symlink or a small wrapper script.
Nvcc ReadNvcc(const system::System& system, const std::string& path);

}  // namespace culprit::collect

// What an nvcc says of itself, without running it.
#pragma once

#include <string>

#include "system/system.h"

namespace culprit::collect {

struct Nvcc {
  std::string program;  // the binary; behind a wrapper script the one that the script starts. "" not found
  std::string version;  // "13.0.88"; "" when it does not tell
  std::string release;  // "13.0"
};

// `path` may be a link or a small wrapper script.
Nvcc ReadNvcc(const system::System& system, const std::string& path);

}  // namespace culprit::collect

// The version that a toolkit's own files tell: version.json, before CUDA 11.1 version.txt.
#pragma once

#include <string>

#include "system/system.h"

namespace culprit::collect {

struct ToolkitVersion {
  std::string version;  // "12.4.1"; "" when neither file tells
  std::string source;
};
ToolkitVersion ReadToolkitVersion(const system::System& system, const std::string& root);

}  // namespace culprit::collect

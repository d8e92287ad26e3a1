// Which toolkit a variable or an nvcc refers to, for the rules about toolkits and builds.
#pragma once

#include <string>
#include <vector>

#include "rules/rule.h"

namespace culprit::rules {

// The toolkit at a directory, symlinks followed; nullptr if there is none.
const snapshot::Toolkit* ToolkitAt(const Scene& scene, const std::string& directory);
// The toolkit that an nvcc belongs to, symlinks followed.
const snapshot::Toolkit* ToolkitOfNvcc(const Scene& scene, const std::string& nvcc);
// Toolkits with nvcc.
std::vector<const snapshot::Toolkit*> Compilers(const Scene& scene);

// Which toolkit a build would use: CUDA_HOME or CUDA_PATH, otherwise the nvcc on PATH, otherwise
// /usr/local/cuda.
struct BuildChoice {
  const snapshot::Toolkit* toolkit = nullptr;
  std::string because;  // "CUDA_HOME=/usr/local/cuda"
};
BuildChoice ChosenToolkit(const Scene& scene);

// "12.4" for "12.4.1" and for "12.4.131".
std::string Release(const std::string& version);

}  // namespace culprit::rules

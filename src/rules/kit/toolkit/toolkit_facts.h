// What the rules about toolkits and builds ask: which toolkit a variable or an nvcc stands for.
#pragma once

#include <string>
#include <vector>

#include "rules/rule.h"

namespace culprit::rules {

// The copy that a directory stands for, links followed; nullptr when it is none.
const snapshot::Toolkit* ToolkitAt(const Scene& scene, const std::string& directory);
// The copy that an nvcc belongs to, links followed.
const snapshot::Toolkit* ToolkitOfNvcc(const Scene& scene, const std::string& nvcc);
// Copies with nvcc.
std::vector<const snapshot::Toolkit*> Compilers(const Scene& scene);

// Which toolkit a build would take: CUDA_HOME or CUDA_PATH, otherwise the nvcc of PATH, otherwise
// /usr/local/cuda.
struct BuildChoice {
  const snapshot::Toolkit* toolkit = nullptr;
  std::string because;  // "CUDA_HOME=/usr/local/cuda"
};
BuildChoice ChosenToolkit(const Scene& scene);

// "12.4" of "12.4.1" and of "12.4.131".
std::string Release(const std::string& version);

}  // namespace culprit::rules

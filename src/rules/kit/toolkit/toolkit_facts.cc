#include "rules/kit/toolkit/toolkit_facts.h"

#include <algorithm>

#include "base/text.h"
#include "base/version.h"

namespace culprit::rules {

const snapshot::Toolkit* ToolkitAt(const Scene& scene, const std::string& directory) {
  if (!scene.stack().toolkits || directory.empty()) return nullptr;
  const std::string path = scene.PathOf(directory);
  for (const snapshot::Toolkit& copy : scene.stack().toolkits->copies) {
    if (copy.root == path || std::ranges::find(copy.links, path) != copy.links.end()) return &copy;
    if (copy.root == scene.view.RealPath(path)) return &copy;
  }
  return nullptr;
}

const snapshot::Toolkit* ToolkitOfNvcc(const Scene& scene, const std::string& nvcc) {
  if (nvcc.empty()) return nullptr;
  const std::string real = scene.view.RealPath(nvcc);
  const snapshot::Toolkit* toolkit = ToolkitAt(scene, std::string(base::DirName(base::DirName(real))));
  // The wrapper /usr/bin/nvcc runs the distribution's nvcc.
  return toolkit == nullptr && real == "/usr/bin/nvcc" ? ToolkitAt(scene, "/usr/lib/nvidia-cuda-toolkit")
                                                       : toolkit;
}

std::vector<const snapshot::Toolkit*> Compilers(const Scene& scene) {
  std::vector<const snapshot::Toolkit*> compilers;
  if (!scene.stack().toolkits) return compilers;
  for (const snapshot::Toolkit& copy : scene.stack().toolkits->copies) {
    if (!copy.nvcc.empty()) compilers.push_back(&copy);
  }
  return compilers;
}

BuildChoice ChosenToolkit(const Scene& scene) {
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    const std::string value(scene.Variable(name));
    if (const auto* toolkit = ToolkitAt(scene, value)) return {toolkit, std::string(name) + "=" + value};
  }
  if (scene.stack().toolkits) {
    const std::string& nvcc = scene.stack().toolkits->nvcc_on_path;
    if (const auto* toolkit = ToolkitOfNvcc(scene, nvcc)) return {toolkit, "PATH finds " + nvcc};
  }
  if (const auto* toolkit = ToolkitAt(scene, "/usr/local/cuda"))
    return {toolkit, "/usr/local/cuda points to it"};
  return {};
}

std::string Release(const std::string& version) {
  const auto parsed = base::Version::Parse(version);
  if (!parsed || parsed->parts.size() < 2) return version;
  return std::to_string(parsed->part(0)) + "." + std::to_string(parsed->part(1));
}

}  // namespace culprit::rules

// Collector of the toolkits: every place where a CUDA program could be built, which nvcc a shell would run,
// and the compiler that nvcc would call. pip and conda environments count only with nvcc: their headers and
// libraries are for packages, not for builds.
#include <array>

#include "base/text.h"
#include "collect/stack.h"
#include "collect/toolkit/host_compiler.h"
#include "collect/toolkit/search.h"

namespace culprit::collect {
namespace {

using base::DirName;
using base::PathError;
using snapshot::Toolkit;
using snapshot::ToolkitKind;
using snapshot::Toolkits;

constexpr std::array<std::string_view, 29> kToolkitReads = {
    "/usr/local/cuda*/*",
    "/opt/cuda*/*",
    "/opt/nvidia/hpc_sdk/Linux_*/*/cuda/1*/*",
    "/usr/lib/cuda/*",
    "/usr/lib/nvidia-cuda-toolkit/*",
    "$CUDA_HOME/*",
    "$CUDA_PATH/*",
    "$CUDA_ROOT/*",
    "$CUDAToolkit_ROOT/*",
    "$CPATH",
    "$C_INCLUDE_PATH",
    "$CPLUS_INCLUDE_PATH",
    "/**/version.*",
    "$CONDA_PREFIX/*",
    "$prefix/*",
    "$site/nvidia/cu13/*",
    "$site/nvidia/cu14/*",
    "$site/nvidia/cuda_nvcc/*",
    // below those, and wherever a symlink or a wrapper leads
    "/**/bin/nvcc",
    "/**/targets/*",
    "/**/include/cuda.h",
    "/etc/alternatives/*",
    "$CUDACXX",
    "$PATH/*",
    // host compilers: variables name them, symlinks lead to others
    "/**/bin/*",
    "/**/lib/gcc/*",
    "/**/lib/gcc",
    "/**/lib64/gcc",
    "/**/lib64/gcc/*",
};

std::string WhyUnreadable(const system::System& system, const std::string& directory) {
  const auto entries = system.List(directory);
  if (entries || entries.error() == PathError::kNoEntry || entries.error() == PathError::kNotDirectory)
    return "";
  return directory + ": " + std::string(base::Strerror(entries.error()));
}

void AddNamed(const Surroundings& around, ToolkitSearch& search) {
  for (const char* name : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDAToolkit_ROOT"}) {
    if (const std::string root = base::ValueOf(around.environment, name); root.starts_with('/'))
      search.Add(base::CleanPath(root), ToolkitKind::kToolkit);
  }
  // Directories of headers that every compiler here searches: those of a toolkit lie in its "include".
  for (const char* name : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"}) {
    for (const std::string& element : base::SplitWords(base::ValueOf(around.environment, name), ":")) {
      const std::string directory = base::CleanPath(element);
      if (directory.starts_with('/') && base::BaseName(directory) == "include")
        search.Add(std::string(DirName(directory)), ToolkitKind::kUnknown);
    }
  }
}

// The toolkit that an nvcc belongs to.
void AddOfNvcc(const std::string& nvcc, ToolkitSearch& search) {
  if (nvcc.empty()) return;
  const std::string program = search.Compiler(nvcc).program;
  if (program.starts_with('/') && program.ends_with("/bin/nvcc")) {
    search.Add(std::string(DirName(DirName(program))), ToolkitKind::kToolkit, /*needs_nvcc=*/true);
  }
}

// Symlinks in /etc/alternatives that lead to a toolkit.
void AddAlternatives(const system::System& system, std::vector<Toolkit>& copies) {
  const auto entries = system.List("/etc/alternatives");
  if (!entries) return;
  for (const auto& entry : *entries) {
    if (!entry.name.starts_with("cuda")) continue;
    const std::string path = "/etc/alternatives/" + entry.name;
    const auto real = system.RealPath(path);
    if (!real) continue;
    for (Toolkit& copy : copies) {
      if (copy.root == *real) copy.links.push_back(path);
    }
  }
}

}  // namespace

const CollectorInfo kToolkitsCollector = {"toolkits", kToolkitReads};

snapshot::Fact<Toolkits> CollectToolkits(const Surroundings& around,
                                         std::span<const snapshot::PythonEnvironment> environments) {
  ToolkitSearch search(around.system);
  search.AddPattern("/usr/local/cuda*", ToolkitKind::kToolkit);
  search.AddPattern("/opt/cuda*", ToolkitKind::kToolkit);
  search.AddPattern("/opt/nvidia/hpc_sdk/Linux_*/*/cuda/1*", ToolkitKind::kHpcSdk);
  search.Add("/usr/lib/nvidia-cuda-toolkit", ToolkitKind::kDistribution);
  search.Add("/usr/lib/cuda", ToolkitKind::kDistribution);
  if (const std::string conda = base::ValueOf(around.environment, "CONDA_PREFIX"); conda.starts_with('/')) {
    search.Add(conda, ToolkitKind::kConda, /*needs_nvcc=*/true);
  }
  for (const snapshot::PythonEnvironment& environment : environments) {
    if (environment.kind == snapshot::EnvironmentKind::kConda)
      search.Add(environment.prefix, ToolkitKind::kConda, /*needs_nvcc=*/true);
    search.AddPip(environment);
  }
  AddNamed(around, search);
  Toolkits toolkits;
  toolkits.nvcc_on_path = FindOnPath(around, "nvcc");
  AddOfNvcc(toolkits.nvcc_on_path, search);
  if (const std::string nvcc = base::ValueOf(around.environment, "CUDACXX"); nvcc.starts_with('/'))
    AddOfNvcc(nvcc, search);
  toolkits.copies = search.Take();
  AddAlternatives(around.system, toolkits.copies);
  toolkits.host_compilers = HostCompilers(around);
  if (toolkits.copies.empty()) {
    if (const std::string why = WhyUnreadable(around.system, "/usr/local"); !why.empty())
      return snapshot::Fact<Toolkits>::Unreadable(why, "toolkits");
  }
  return snapshot::Fact<Toolkits>::Of(std::move(toolkits), "files of the toolkits");
}

}  // namespace culprit::collect

// Collector of the toolkits on Windows: those that the registry and CUDA_PATH name, those in the usual place,
// and nvcc from conda and pip. Visual C++, which nvcc calls, needs its own command prompt and is not looked
// for.
#include <array>

#include "base/text.h"
#include "base/windows/path.h"
#include "collect/toolkit/search.h"
#include "collect/windows/places.h"
#include "collect/windows/stack.h"

namespace culprit::collect {
namespace {

using base::DirName;
using base::JoinPath;
using snapshot::ToolkitKind;
using snapshot::Toolkits;

constexpr std::array<std::string_view, 18> kWindowsToolkitsReads = {
    "HKLM/SOFTWARE/NVIDIA Corporation/GPU Computing Toolkit/CUDA/*",
    "/C:/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v*/*",
    "$CUDA_PATH*/*",
    "$CUDA_HOME/*",
    "$CUDA_ROOT/*",
    "$CUDATOOLKIT_ROOT/*",
    "$CONDA_PREFIX/Library/*",
    "$prefix/Library/*",
    "$site/nvidia/cu13/*",
    "$site/nvidia/cu14/*",
    "$site/nvidia/cuda_nvcc/*",
    "$PATH/nvcc.exe",
    "$CUDACXX",
    // below those
    "/**/bin/nvcc.exe",
    "/**/bin/x64",
    "/**/include/cuda.h",
    "/**/version.json",
    "/**/version.txt",
};

constexpr char kInstalled[] = "HKLM/SOFTWARE/NVIDIA Corporation/GPU Computing Toolkit/CUDA";

void AddInstalled(const Surroundings& around, ToolkitSearch& search) {
  const auto installed = around.system.ReadRegistry(kInstalled);
  if (!installed) return;
  for (const std::string& release : installed->keys) {  // "v12.4"
    const std::string directory =
        RegistryText(around.system, base::JoinPath(kInstalled, release), "InstallDir");
    if (!directory.empty()) search.Add(base::FromWindowsPath(directory), ToolkitKind::kToolkit);
  }
}

}  // namespace

const CollectorInfo kWindowsToolkitsCollector = {"toolkits", kWindowsToolkitsReads};

snapshot::Fact<Toolkits> CollectWindowsToolkits(const Surroundings& around,
                                                std::span<const snapshot::PythonEnvironment> environments) {
  ToolkitSearch search(around.system);
  search.AddPattern(JoinPath(ProgramFiles(around.environment), "NVIDIA GPU Computing Toolkit/CUDA/v*"),
                    ToolkitKind::kToolkit);
  AddInstalled(around, search);
  std::vector<std::string> conda = {DirectoryVariable(around, "CONDA_PREFIX")};
  for (const snapshot::PythonEnvironment& environment : environments) {
    if (environment.kind == snapshot::EnvironmentKind::kConda) conda.push_back(environment.prefix);
    search.AddPip(environment);
  }
  for (const std::string& prefix : conda) {
    if (!prefix.empty()) search.Add(JoinPath(prefix, "Library"), ToolkitKind::kConda, /*needs_nvcc=*/true);
  }
  for (const auto& [name, value] : around.environment) {
    const bool named = name.starts_with("CUDA_PATH") || name == "CUDA_HOME" || name == "CUDA_ROOT" ||
                       name == "CUDATOOLKIT_ROOT";
    if (named && !value.empty()) search.Add(DirectoryVariable(around, name), ToolkitKind::kToolkit);
  }
  Toolkits toolkits;
  for (const std::string& element :
       PathElements(base::ValueOf(around.environment, "PATH"), around.working_directory)) {
    const std::string nvcc = JoinPath(element, "nvcc.exe");
    if (!search.IsFile(nvcc)) continue;
    toolkits.nvcc_on_path = nvcc;
    break;
  }
  const std::string compiler = DirectoryVariable(around, "CUDACXX");
  for (const std::string& nvcc : {toolkits.nvcc_on_path, compiler}) {
    if (!nvcc.empty() && base::SameName(base::BaseName(DirName(nvcc)), "bin") && search.IsFile(nvcc))
      search.Add(std::string(DirName(DirName(nvcc))), ToolkitKind::kToolkit, /*needs_nvcc=*/true);
  }
  toolkits.copies = search.Take();
  return snapshot::Fact<Toolkits>::Of(std::move(toolkits), "files of the toolkits");
}

}  // namespace culprit::collect

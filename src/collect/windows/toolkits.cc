// Collector of the toolkits on Windows: what the registry and CUDA_PATH name, what lies in the usual place,
// and nvcc of conda and pip. A directory counts when it holds nvcc, a version file, cuda.h or cudart. Visual
// C++, which nvcc calls, is set up by a shell of its own and is not looked for.
#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "base/windows_path.h"
#include "collect/c_header.h"
#include "collect/linux/library_places.h"
#include "collect/live_file_view.h"
#include "collect/nvcc.h"
#include "collect/toolkit_version.h"
#include "collect/windows/places.h"
#include "collect/windows/stack.h"
#include "snapshot/path_pattern.h"

namespace culprit::collect {
namespace {

using base::DirName;
using base::JoinPath;
using base::PathError;
using snapshot::Toolkit;
using snapshot::ToolkitKind;
using snapshot::Toolkits;

constexpr uint64_t kWindowsCudaHeaderLimit = 8 << 20;

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

const std::string kInstalled = "HKLM/SOFTWARE/NVIDIA Corporation/GPU Computing Toolkit/CUDA";

class WindowsToolkitSearch {
 public:
  explicit WindowsToolkitSearch(const Surroundings& around) : system_(around.system), view_(around.system) {}

  // Looks at one root; what holds nothing of a toolkit is left out.
  void Add(const std::string& path, ToolkitKind kind, bool needs_nvcc = false);
  void AddPattern(const std::string& pattern, ToolkitKind kind) {
    for (const std::string& path : snapshot::ExpandPattern(view_, pattern)) Add(path, kind);
  }
  bool IsFile(const std::string& path) { return view_.Open(path).kind == snapshot::FileKind::kRegular; }
  std::vector<Toolkit> Take() { return std::move(copies_); }

 private:
  // cudart64_12.dll, in bin or since CUDA 13 in bin\x64.
  bool HasRuntime(const std::string& root);

  const system::System& system_;
  LiveFileView view_;
  std::set<std::string> rejected_;
  std::vector<Toolkit> copies_;
};

bool WindowsToolkitSearch::HasRuntime(const std::string& root) {
  for (const char* below : {"bin", "bin/x64"}) {
    const auto items = view_.List(JoinPath(root, below));
    if (!items) continue;
    if (std::ranges::any_of(
            *items, [](const auto& item) { return base::FoldCase(item.name).starts_with("cudart64_"); })) {
      return true;
    }
  }
  return false;
}

void WindowsToolkitSearch::Add(const std::string& path, ToolkitKind kind, bool needs_nvcc) {
  if (path.empty() || view_.Directory(path) != PathError::kNone) return;
  const std::string root = view_.RealPath(path);
  const std::string folded = base::FoldCase(root);
  if (rejected_.contains(folded)) return;
  for (Toolkit& copy : copies_) {
    if (!base::SameName(copy.root, root)) continue;
    if (!base::SameName(path, root) && std::ranges::find(copy.links, path) == copy.links.end())
      copy.links.push_back(path);
    return;
  }
  Toolkit toolkit{.root = root, .kind = kind};
  if (!base::SameName(path, root)) toolkit.links.push_back(path);
  const std::string nvcc = JoinPath(root, "bin/nvcc.exe");
  Nvcc read;
  if (IsFile(nvcc)) {
    toolkit.nvcc = nvcc;
    read = ReadNvcc(system_, nvcc);
    toolkit.nvcc_version = read.version.empty() ? read.release : read.version;
  } else if (needs_nvcc) {
    rejected_.insert(folded);
    return;
  }
  const ToolkitVersion told = ReadToolkitVersion(system_, root);
  toolkit.version = told.version;
  toolkit.source = told.source;
  const std::string header = JoinPath(root, "include/cuda.h");
  if (const auto text = system::ReadWholeFile(system_, header, kWindowsCudaHeaderLimit))
    toolkit.header_version = CudaHeaderVersion(*text);
  if (toolkit.version.empty() && !read.release.empty()) {
    toolkit.version = read.release;
    toolkit.source = nvcc;
  }
  if (toolkit.version.empty() && !toolkit.header_version.empty()) {
    toolkit.version = toolkit.header_version;
    toolkit.source = header;
  }
  if (toolkit.version.empty() && toolkit.nvcc.empty() && !HasRuntime(root)) {
    rejected_.insert(folded);
    return;
  }
  copies_.push_back(std::move(toolkit));
}

void AddInstalled(const Surroundings& around, WindowsToolkitSearch& search) {
  const auto installed = around.system.ReadRegistry(kInstalled);
  if (!installed) return;
  for (const std::string& release : installed->keys) {  // "v12.4"
    const std::string directory = RegistryText(around.system, kInstalled + "/" + release, "InstallDir");
    if (!directory.empty()) search.Add(base::FromWindowsPath(directory), ToolkitKind::kToolkit);
  }
}

}  // namespace

const CollectorInfo kWindowsToolkitsCollector = {"toolkits", kWindowsToolkitsReads};

snapshot::Fact<Toolkits> CollectWindowsToolkits(const Surroundings& around,
                                                std::span<const snapshot::PythonEnvironment> environments) {
  WindowsToolkitSearch search(around);
  search.AddPattern(JoinPath(ProgramFiles(around.environment), "NVIDIA GPU Computing Toolkit/CUDA/v*"),
                    ToolkitKind::kToolkit);
  AddInstalled(around, search);
  std::vector<std::string> conda = {DirectoryVariable(around, "CONDA_PREFIX")};
  for (const snapshot::PythonEnvironment& environment : environments) {
    if (environment.kind == snapshot::EnvironmentKind::kConda) conda.push_back(environment.prefix);
    for (const std::string& site : environment.site_packages) {
      for (const char* below : {"nvidia/cu13", "nvidia/cu14", "nvidia/cuda_nvcc"})
        search.Add(JoinPath(site, below), ToolkitKind::kPip, /*needs_nvcc=*/true);
    }
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

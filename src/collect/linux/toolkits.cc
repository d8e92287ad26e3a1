// Collector of the toolkits: every place where a CUDA program could be built, which nvcc a shell would run,
// and the compiler that nvcc would call. A directory counts when it holds nvcc, a version file, cuda.h or
// libcudart. Environments of pip and conda count only with nvcc: their headers and libraries serve packages,
// not builds.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text.h"
#include "collect/c_header.h"
#include "collect/host_compiler.h"
#include "collect/linux/library_places.h"
#include "collect/live_file_view.h"
#include "collect/nvcc.h"
#include "collect/stack.h"
#include "collect/toolkit_version.h"
#include "snapshot/path_pattern.h"

namespace culprit::collect {
namespace {

using base::BaseName;
using base::DirName;
using base::JoinPath;
using base::PathError;
using snapshot::Toolkit;
using snapshot::ToolkitKind;
using snapshot::Toolkits;

constexpr uint64_t kCudaHeaderLimit = 8 << 20;

constexpr std::array<std::string_view, 25> kToolkitReads = {
    "/usr/local/cuda*/*",
    "/opt/cuda*/*",
    "/opt/nvidia/hpc_sdk/Linux_*/*/cuda/1*/*",
    "/usr/lib/cuda/*",
    "/usr/lib/nvidia-cuda-toolkit/*",
    "$CUDA_HOME/*",
    "$CUDA_PATH/*",
    "$CUDA_ROOT/*",
    "$CUDAToolkit_ROOT/*",
    "$CONDA_PREFIX/*",
    "$prefix/*",
    "$site/nvidia/cu13/*",
    "$site/nvidia/cu14/*",
    "$site/nvidia/cuda_nvcc/*",
    // below those, and wherever a link or a wrapper leads
    "/**/bin/nvcc",
    "/**/targets/*",
    "/**/include/cuda.h",
    "/etc/alternatives/*",
    "$CUDACXX",
    "$PATH/*",
    // host compilers: variables name them, links lead to others
    "/**/bin/*",
    "/**/lib/gcc/*",
    "/**/lib/gcc",
    "/**/lib64/gcc",
    "/**/lib64/gcc/*",
};

class ToolkitSearch {
 public:
  explicit ToolkitSearch(const Surroundings& around) : system_(around.system), view_(around.system) {}

  // Looks at one root; gives false when nothing of a toolkit is there.
  bool Add(const std::string& path, ToolkitKind kind, bool needs_nvcc = false);
  void AddPattern(const std::string& pattern, ToolkitKind kind) {
    for (const std::string& path : snapshot::ExpandPattern(view_, pattern)) Add(path, kind);
  }
  // The toolkit that an nvcc belongs to.
  void AddOfNvcc(const std::string& nvcc);
  void NoteUnreadable(const std::string& directory);
  std::vector<Toolkit> Take() { return std::move(copies_); }
  std::vector<std::string> problems;

 private:
  Nvcc Compiler(const std::string& path);
  std::string Header(const std::string& root);
  bool HasRuntime(const std::string& root);

  const system::System& system_;
  LiveFileView view_;
  std::set<std::string> rejected_;
  std::map<std::string, Nvcc> compilers_;  // by the program itself
  std::vector<Toolkit> copies_;
};

void ToolkitSearch::NoteUnreadable(const std::string& directory) {
  const auto entries = system_.List(directory);
  if (entries || entries.error() == PathError::kNoEntry || entries.error() == PathError::kNotDirectory)
    return;
  problems.push_back(directory + ": " + std::string(base::Strerror(entries.error())));
}

// A program is searched through for megabytes, which is done once whatever links lead to it.
Nvcc ToolkitSearch::Compiler(const std::string& path) {
  const auto known = compilers_.find(view_.RealPath(path));
  if (known != compilers_.end()) return known->second;
  Nvcc read = ReadNvcc(system_, path);
  if (read.program == view_.RealPath(path)) compilers_.emplace(read.program, read);
  return read;
}

std::string ToolkitSearch::Header(const std::string& root) {
  std::vector<std::string> places = {JoinPath(root, "include/cuda.h")};
  for (const std::string& path : snapshot::ExpandPattern(view_, JoinPath(root, "targets/*"))) {
    places.push_back(JoinPath(path, "include/cuda.h"));
  }
  if (root == "/usr/lib/nvidia-cuda-toolkit" || root == "/usr/lib/cuda")
    places.emplace_back("/usr/include/cuda.h");
  for (const std::string& path : places) {
    const auto text = system::ReadWholeFile(system_, path, kCudaHeaderLimit);
    if (!text) continue;
    if (std::string version = CudaHeaderVersion(*text); !version.empty()) return version;
  }
  return "";
}

bool ToolkitSearch::HasRuntime(const std::string& root) {
  for (const char* below : {"lib64", "lib"}) {
    const auto items = view_.List(JoinPath(root, below));
    if (!items) continue;
    if (std::ranges::any_of(*items, [](const auto& item) { return item.name.starts_with("libcudart.so"); })) {
      return true;
    }
  }
  return false;
}

bool ToolkitSearch::Add(const std::string& path, ToolkitKind kind, bool needs_nvcc) {
  if (view_.Directory(path) != PathError::kNone) return false;
  const std::string root = view_.RealPath(path);
  if (rejected_.contains(root)) return false;
  for (Toolkit& copy : copies_) {
    if (copy.root != root) continue;
    if (path != root && std::ranges::find(copy.links, path) == copy.links.end()) copy.links.push_back(path);
    return true;
  }
  Toolkit toolkit{.root = root, .kind = kind};
  if (path != root) toolkit.links.push_back(path);
  const std::string nvcc = JoinPath(root, "bin/nvcc");
  const auto status = system_.Stat(nvcc);
  Nvcc read;
  if (status && status->type == system::FileType::kRegular) {
    // Debian's /usr/lib/cuda is a second face of its toolkit: its bin leads to the same nvcc.
    for (Toolkit& copy : copies_) {
      if (copy.nvcc.empty() || view_.RealPath(copy.nvcc) != view_.RealPath(nvcc)) continue;
      copy.links.push_back(path);
      return true;
    }
    toolkit.nvcc = nvcc;
    read = Compiler(nvcc);
    toolkit.nvcc_version = read.version.empty() ? read.release : read.version;
  }
  if (needs_nvcc && toolkit.nvcc.empty()) return rejected_.insert(root), false;
  const ToolkitVersion told = ReadToolkitVersion(system_, root);
  toolkit.version = told.version;
  toolkit.source = told.source;
  toolkit.header_version = Header(root);
  if (toolkit.version.empty() && !read.release.empty()) {
    toolkit.version = read.release;
    toolkit.source = nvcc;
  }
  if (toolkit.version.empty() && !toolkit.header_version.empty()) {
    toolkit.version = toolkit.header_version;
    toolkit.source = JoinPath(root, "include/cuda.h");
  }
  if (toolkit.version.empty() && toolkit.nvcc.empty() && !HasRuntime(root))
    return rejected_.insert(root), false;
  copies_.push_back(std::move(toolkit));
  return true;
}

void AddNamed(const Surroundings& around, ToolkitSearch& search) {
  for (const char* name : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDAToolkit_ROOT"}) {
    if (const std::string root = base::ValueOf(around.environment, name); root.starts_with('/'))
      search.Add(base::CleanPath(root), ToolkitKind::kToolkit);
  }
}

void ToolkitSearch::AddOfNvcc(const std::string& nvcc) {
  if (nvcc.empty()) return;
  const std::string program = Compiler(nvcc).program;
  if (program.starts_with('/') && program.ends_with("/bin/nvcc")) {
    Add(std::string(DirName(DirName(program))), ToolkitKind::kToolkit, /*needs_nvcc=*/true);
  }
}

// Names below /etc/alternatives that lead to a copy.
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
  ToolkitSearch search(around);
  search.NoteUnreadable("/usr/local");
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
    for (const std::string& site : environment.site_packages) {
      for (const char* below : {"nvidia/cu13", "nvidia/cu14", "nvidia/cuda_nvcc"}) {
        search.Add(JoinPath(site, below), ToolkitKind::kPip, /*needs_nvcc=*/true);
      }
    }
  }
  AddNamed(around, search);
  Toolkits toolkits;
  toolkits.nvcc_on_path = FindOnPath(around, "nvcc");
  search.AddOfNvcc(toolkits.nvcc_on_path);
  if (const std::string nvcc = base::ValueOf(around.environment, "CUDACXX"); nvcc.starts_with('/'))
    search.AddOfNvcc(nvcc);
  toolkits.copies = search.Take();
  AddAlternatives(around.system, toolkits.copies);
  toolkits.host_compilers = HostCompilers(around);
  if (toolkits.copies.empty() && !search.problems.empty()) {
    return snapshot::Fact<Toolkits>::Unreadable(search.problems.front(), "toolkits");
  }
  return snapshot::Fact<Toolkits>::Of(std::move(toolkits), "files of the toolkits");
}

}  // namespace culprit::collect

#include "probe/host/plan/cuda_files.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/path_error.h"
#include "base/text.h"
#include "base/windows/path.h"
#include "snapshot/path_pattern.h"

namespace culprit::probe {
namespace {

using base::JoinPath;

struct Kind {
  std::string_view linux_name;    // before ".so."
  std::string_view windows_name;  // before its number
  std::string CudaFiles::* file;
};
constexpr Kind kKinds[] = {
    {"libcudart", "cudart64_", &CudaFiles::cudart},
    {"libnvrtc", "nvrtc64_", &CudaFiles::nvrtc},
    {"libnvrtc-builtins", "nvrtc-builtins64_", &CudaFiles::nvrtc_builtins},
    {"libcublas", "cublas64_", &CudaFiles::cublas},
    {"libcublasLt", "cublasLt64_", &CudaFiles::cublaslt},
};

std::optional<uint32_t> LeadingNumber(std::string_view text) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return number;
}

// "libcublas.so.13" -> 13; "nvrtc64_130_0.dll" -> 13; nullopt for another library.
std::optional<uint32_t> MajorOf(const Kind& kind, const std::string& name, bool windows) {
  if (!windows) {
    const std::string start = std::string(kind.linux_name) + ".so.";
    return name.starts_with(start) ? LeadingNumber(std::string_view(name).substr(start.size()))
                                   : std::nullopt;
  }
  const std::string folded = base::FoldCase(name);
  const std::string start = base::FoldCase(kind.windows_name);
  if (!folded.starts_with(start) || !folded.ends_with(".dll") || folded.ends_with(".alt.dll"))
    return std::nullopt;
  const std::optional<uint32_t> number = LeadingNumber(std::string_view(folded).substr(start.size()));
  return number && *number >= 100 ? *number / 10 : number;  // 110 is 11.0
}

// "" if the file does not say.
std::string MachineOf(const snapshot::FileFacts& facts) {
  if (facts.pe != nullptr && facts.pe->machine != 0) return binfmt::PeMachineName(facts.pe->machine);
  if (facts.elf != nullptr && facts.elf->bits() != 0) return binfmt::MachineName(facts.elf->machine);
  return "";
}

std::vector<std::string> Existing(snapshot::FileView& view, const std::vector<std::string>& candidates) {
  std::vector<std::string> existing, real;
  for (const std::string& path : candidates) {
    if (view.Directory(path) != base::PathError::kNone) continue;
    if (std::ranges::find(real, view.RealPath(path)) != real.end()) continue;
    real.push_back(view.RealPath(path));
    existing.push_back(path);
  }
  return existing;
}

}  // namespace

std::string ThisCpu(const snapshot::Snapshot& snapshot) {
  std::string machine = snapshot.cpu.machine;
  std::ranges::replace(machine, '_', '-');
  return machine == "AMD64" ? "x86-64" : machine == "ARM64" || machine == "arm64" ? "aarch64" : machine;
}

std::string Native(const snapshot::Snapshot& snapshot, const std::string& path) {
  return snapshot.windows() != nullptr ? base::ToWindowsPath(path) : path;
}

FoundCudaFiles FindCudaFiles(const snapshot::Snapshot& snapshot, snapshot::FileView& view,
                             const std::vector<std::string>& directories) {
  FoundCudaFiles found;
  const std::string cpu = ThisCpu(snapshot);
  for (const std::string& directory : directories) {
    const auto items = view.List(directory);
    if (!items) continue;
    for (const snapshot::DirectoryItem& item : *items) {
      for (const Kind& kind : kKinds) {
        const std::optional<uint32_t> major = MajorOf(kind, item.name, snapshot.windows() != nullptr);
        if (!major) continue;
        const std::string path = JoinPath(directory, item.name);
        const std::string machine = MachineOf(view.Open(path));
        if (!machine.empty() && !cpu.empty() && machine != cpu) {
          found.other_cpu = path;
          continue;
        }
        // Sorted, so that the shortest name, which is the soname, comes first.
        std::string& file = found.by_major[*major].*kind.file;
        if (file.empty()) file = path;
      }
    }
  }
  return found;
}

std::vector<std::string> ToolkitDirectories(const snapshot::Snapshot& snapshot, snapshot::FileView& view,
                                            const std::string& root) {
  if (snapshot.windows() != nullptr)
    return Existing(view, {JoinPath(root, "bin/x64"), JoinPath(root, "bin"), JoinPath(root, "Library/bin")});
  std::vector<std::string> candidates = {JoinPath(root, "lib64"), JoinPath(root, "lib")};
  for (const std::string& target : snapshot::ExpandPattern(view, JoinPath(root, "targets/*")))
    candidates.push_back(JoinPath(target, "lib"));
  if (root == "/usr/lib/nvidia-cuda-toolkit" || root == "/usr/lib/cuda")
    candidates.push_back("/usr/lib/" + snapshot.cpu.machine + "-linux-gnu");
  return Existing(view, candidates);
}

std::vector<std::string> PackageDirectories(const snapshot::Snapshot& snapshot, snapshot::FileView& view,
                                            const std::string& nvidia) {
  std::vector<std::string> candidates;
  const auto items = view.List(nvidia);
  if (!items) return {};
  for (const snapshot::DirectoryItem& item : *items) {
    const std::string package = JoinPath(nvidia, item.name);
    for (const char* below : {"lib", "bin/x86_64", "bin"}) {
      if ((snapshot.windows() != nullptr) == (below != std::string_view("lib")))
        candidates.push_back(JoinPath(package, below));
    }
  }
  return Existing(view, candidates);
}

}  // namespace culprit::probe

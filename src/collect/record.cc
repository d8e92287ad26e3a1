#include "collect/record.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/windows/path.h"
#include "knowledge/libraries.h"

namespace culprit::collect {
namespace {

using base::PathError;
using snapshot::FileKind;
using snapshot::RecordedNode;

constexpr int kLinksFollowed = 40;

constexpr size_t kMaxRecordedExports = 20'000;  // more would make a snapshot too large to mail

// On Linux, that a file is no PE says nothing; on Windows it is why a DLL does not load.
bool IsWorthRecording(const binfmt::PeFile& pe, base::Platform platform) {
  return platform == base::Platform::kWindows ||
         (pe.problem != binfmt::PeProblem::kNotPe && pe.problem != binfmt::PeProblem::kTooShort &&
          pe.problem != binfmt::PeProblem::kEmpty);
}

bool LooksLikeLibrary(std::string_view name, base::Platform platform) {
  if (platform != base::Platform::kWindows) return name.find(".so") != std::string_view::npos;
  const std::string folded = base::FoldCase(name);
  return folded.ends_with(".dll") || folded.ends_with(".pyd");
}

}  // namespace

RecordedNode& Recorder::AddNode(const std::string& path) {
  RecordedNode& node = record_.nodes[path];
  if (!looked_at_.insert(path).second) return node;
  const auto status = system_.LinkStat(path);
  if (!status) {
    node.error = status.error();
    return node;
  }
  node.kind = KindOf(status->type);
  node.id = {status->device, status->inode};
  if (node.kind == FileKind::kLink) node.link_target = system_.ReadLink(path).value_or("");
  if (node.kind != FileKind::kRegular) return node;
  const snapshot::FileFacts& facts = view_.Open(path);
  node.error = facts.error;
  node.size = facts.size;
  node.set_user_id = facts.set_user_id;
  node.not_executable = facts.not_executable;
  node.elf = facts.elf;
  if (facts.pe && IsWorthRecording(*facts.pe, system_.platform())) node.pe = facts.pe;
  if (knowledge::FindLibrary(base::BaseName(path)) != nullptr) node.version = view_.Version(path);
  return node;
}

void Recorder::AddPath(const std::string& path) {
  std::vector<std::string> todo = base::SplitWords(path, "/");
  std::ranges::reverse(todo);
  std::string here = "/";
  AddNode(here);
  int links = 0;
  while (!todo.empty()) {
    const std::string part = std::move(todo.back());
    todo.pop_back();
    if (part == ".") continue;
    if (part == "..") {
      here = base::DirName(here);
      continue;
    }
    const std::string next = base::JoinPath(here, part);
    const RecordedNode& node = AddNode(next);
    if (node.error == PathError::kNoEntry) return;
    if (node.kind != FileKind::kLink) {
      here = next;
      continue;
    }
    if (++links > kLinksFollowed) return;
    std::vector<std::string> target = base::SplitWords(node.link_target, "/");
    todo.insert(todo.end(), target.rbegin(), target.rend());
    if (node.link_target.starts_with('/')) here = "/";
  }
}

void Recorder::AddDirectory(const std::string& path, bool programs) {
  AddPath(path);
  const std::string real = view_.RealPath(path);
  const auto place = record_.nodes.find(base::CleanPath(real));
  if (place == record_.nodes.end() || place->second.kind != FileKind::kDirectory) return;
  const auto items = view_.List(real);
  if (!items) return;
  place->second.listed = true;
  for (const auto& item : *items) {
    const std::string child = base::JoinPath(real, item.name);
    const bool wanted = programs || LooksLikeLibrary(item.name, system_.platform());
    if (item.kind == FileKind::kLink || (item.kind == FileKind::kRegular && wanted)) {
      AddPath(child);
    } else {
      record_.nodes.try_emplace(child, RecordedNode{.kind = item.kind});
    }
  }
}

void Recorder::AddAsked() {
  // Copies: recording asks the view again.
  std::vector<std::string> opened;
  for (const auto& [path, facts] : view_.opened()) opened.push_back(path);
  std::vector<std::string> directories;
  for (const auto& [path, error] : view_.directories()) directories.push_back(path);
  std::vector<std::string> listed;
  for (const auto& [path, items] : view_.listed()) listed.push_back(path);
  std::ranges::sort(opened);
  for (const std::string& path : opened) AddPath(path);
  for (const std::string& path : directories) AddPath(path);
  for (const std::string& path : listed) AddDirectory(path, /*programs=*/false);
  for (const auto& [path, code] : view_.gpu_codes()) {
    AddPath(path);
    const auto node = record_.nodes.find(base::CleanPath(view_.RealPath(path)));
    if (node == record_.nodes.end() || node->second.kind != FileKind::kRegular) continue;
    node->second.gpu_code = code;
    // What was built with nvcc may have the CUDA runtime inside.
    if (code && !code->containers.empty() && !node->second.version)
      node->second.version = view_.Version(path);
  }
  for (const std::string& path : std::set(view_.asked_for_exports())) {
    auto exports = view_.ShareExports(path);
    if (exports == nullptr || exports->names.size() > kMaxRecordedExports) continue;
    if (const auto found = view_.found_functions().find(path);
        exports->cut && found != view_.found_functions().end()) {
      auto more = std::make_shared<binfmt::PeExports>(*exports);
      more->names.assign(found->second.begin(), found->second.end());
      exports = std::move(more);
    }
    AddPath(path);
    const auto node = record_.nodes.find(base::CleanPath(view_.RealPath(path)));
    if (node != record_.nodes.end() && node->second.kind == FileKind::kRegular)
      node->second.exports = exports;
  }
  for (const auto& [path, names] : view_.names_inside()) {
    const auto node = record_.nodes.find(base::CleanPath(view_.RealPath(path)));
    if (node != record_.nodes.end()) node->second.names_inside = names;
  }
  for (const auto& [path, processes] : view_.undefined()) {
    const auto node = record_.nodes.find(base::CleanPath(view_.RealPath(path)));
    if (node == record_.nodes.end()) continue;
    for (const auto& [files, symbols] : processes) node->second.undefined.push_back({files, symbols});
  }
}

std::map<std::string, std::string> RelevantEnvironment(
    const std::map<std::string, std::string>& environment) {
  static constexpr std::array<std::string_view, 20> kNames = {
      "PATH", "HOME", "CPATH", "LIBRARY_PATH", "VIRTUAL_ENV", "WSL_DISTRO_NAME", "SUDO_USER",
      "KUBERNETES_SERVICE_HOST",
      // of Windows, as EnvironmentOf spells them
      "SYSTEMROOT", "WINDIR", "SYSTEMDRIVE", "PROGRAMFILES", "PROGRAMFILES(X86)", "PROGRAMW6432",
      "PROGRAMDATA", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "NVTOOLSEXT_PATH", "PROCESSOR_ARCHITECTURE"};
  static constexpr std::array<std::string_view, 23> kPrefixes = {
      "APPTAINER_", "SINGULARITY_", "LD_",    "CUDA",   "CUDNN",  "NVIDIA",  "NCCL",   "CUPY",
      "TORCH",      "PYTORCH",      "TF_",    "XLA_",   "JAX_",   "ORT_",    "CONDA_", "NVCC",
      "PYTHON",     "SLURM",        "GLIBC_", "CMAKE_", "NUMBA_", "TRITON_", "BNB_"};
  std::map<std::string, std::string> relevant;
  for (const auto& [name, value] : environment) {
    const bool wanted =
        std::ranges::find(kNames, name) != kNames.end() ||
        std::ranges::any_of(kPrefixes, [&](std::string_view p) { return name.starts_with(p); });
    if (wanted) relevant.emplace(name, value);
  }
  return relevant;
}

}  // namespace culprit::collect

#include "collect/toolkit/search.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "base/windows/path.h"
#include "collect/library/library_version.h"
#include "collect/toolkit/c_header.h"
#include "snapshot/path_pattern.h"

namespace culprit::collect {
namespace {

using base::JoinPath;
using base::PathError;
using snapshot::Toolkit;
using snapshot::ToolkitKind;

struct ToolkitVersion {
  std::string version;  // "12.4.1"; "" when neither file tells
  std::string source;
};

// version.json says {"cuda": {"name": "CUDA SDK", "version": "12.4.1"}}, before CUDA 11.1 version.txt says
// "CUDA Version 10.2.89".
ToolkitVersion ReadToolkitVersion(const system::System& system, const std::string& root) {
  const std::string json_path = JoinPath(root, "version.json");
  if (const auto text = system::ReadWholeFile(system, json_path, kVersionFileLimit)) {
    const base::Json json = base::ParseJson(*text);
    if (!json.is_object()) system.NoteUnread(json_path, base::Unread::kNotUnderstood);
    const auto cuda = json.is_object() ? json.find("cuda") : json.end();
    if (json.is_object() && cuda != json.end() && cuda->is_object()) {
      const auto version = cuda->find("version");
      if (version != cuda->end() && version->is_string()) return {version->get<std::string>(), json_path};
    }
  }
  const std::string text_path = JoinPath(root, "version.txt");
  if (const auto text = system::ReadWholeFile(system, text_path, kVersionFileLimit)) {
    const auto words = base::SplitWords(*text, " \t\r\n");
    if (words.size() >= 3 && words[0] == "CUDA" && words[1] == "Version") return {words[2], text_path};
  }
  return {};
}

std::string HeaderVersion(const system::System& system, std::span<const std::string> headers) {
  constexpr uint64_t kHeaderLimit = 8 << 20;
  for (const std::string& path : headers) {
    const auto text = system::ReadWholeFile(system, path, kHeaderLimit);
    if (std::string version = text ? CudaHeaderVersion(*text) : ""; !version.empty()) return version;
  }
  return "";
}

// The toolkit's own version comes from its version file, otherwise from nvcc or from cuda.h.
void ReadVersions(const system::System& system, const Nvcc& nvcc, std::span<const std::string> headers,
                  Toolkit& toolkit) {
  toolkit.nvcc_version = nvcc.version.empty() ? nvcc.release : nvcc.version;
  toolkit.header_version = HeaderVersion(system, headers);
  const ToolkitVersion sources[] = {ReadToolkitVersion(system, toolkit.root),
                                    {nvcc.release, toolkit.nvcc},
                                    {toolkit.header_version, JoinPath(toolkit.root, "include/cuda.h")}};
  for (const auto& [version, source] : sources) {
    if (version.empty()) continue;
    toolkit.version = version;
    toolkit.source = source;
    return;
  }
}

}  // namespace

ToolkitSearch::ToolkitSearch(const system::System& system)
    : system_(system), windows_(system.platform() == base::Platform::kWindows), view_(system) {}

std::string ToolkitSearch::Key(const std::string& path) const {
  return windows_ ? base::FoldCase(path) : path;
}

bool ToolkitSearch::IsFile(const std::string& path) const {
  const auto status = system_.Stat(path);
  return status && status->type == system::FileType::kRegular;
}

// Finding the version means searching megabytes, so each program is read only once.
Nvcc ToolkitSearch::Compiler(const std::string& path) {
  const auto known = compilers_.find(view_.RealPath(path));
  if (known != compilers_.end()) return known->second;
  Nvcc read = ReadNvcc(system_, path);
  if (read.program == view_.RealPath(path)) compilers_.emplace(read.program, read);
  return read;
}

std::vector<std::string> ToolkitSearch::Headers(const std::string& root) {
  std::vector<std::string> places = {JoinPath(root, "include/cuda.h")};
  if (windows_) return places;
  for (const std::string& path : snapshot::ExpandPattern(view_, JoinPath(root, "targets/*")))
    places.push_back(JoinPath(path, "include/cuda.h"));
  if (root == "/usr/lib/nvidia-cuda-toolkit" || root == "/usr/lib/cuda")
    places.emplace_back("/usr/include/cuda.h");
  return places;
}

// cudart64_12.dll is in bin, since CUDA 13 in bin\x64.
bool ToolkitSearch::HasRuntime(const std::string& root) {
  for (const char* below : {windows_ ? "bin" : "lib64", windows_ ? "bin/x64" : "lib"}) {
    const auto items = view_.List(JoinPath(root, below));
    if (!items) continue;
    for (const auto& item : *items) {
      if (Key(item.name).starts_with(windows_ ? "cudart64_" : "libcudart.so")) return true;
    }
  }
  return false;
}

void ToolkitSearch::Add(const std::string& path, ToolkitKind kind, bool needs_nvcc) {
  if (path.empty() || view_.Directory(path) != PathError::kNone) return;
  const std::string root = view_.RealPath(path);
  const std::string key = Key(root);
  const bool linked = Key(path) != key;
  if (rejected_.contains(key)) return;
  for (Toolkit& copy : copies_) {
    if (Key(copy.root) != key) continue;
    if (linked && std::ranges::find(copy.links, path) == copy.links.end()) copy.links.push_back(path);
    return;
  }
  Toolkit toolkit{.root = root, .kind = kind};
  if (linked) toolkit.links.push_back(path);
  const std::string nvcc = JoinPath(root, windows_ ? "bin/nvcc.exe" : "bin/nvcc");
  Nvcc compiler;
  if (IsFile(nvcc)) {
    // Debian's /usr/lib/cuda is a second face of its toolkit: its bin leads to the same nvcc.
    for (Toolkit& copy : copies_) {
      if (copy.nvcc.empty() || view_.RealPath(copy.nvcc) != view_.RealPath(nvcc)) continue;
      copy.links.push_back(path);
      return;
    }
    toolkit.nvcc = nvcc;
    compiler = Compiler(nvcc);
  }
  bool found = !toolkit.nvcc.empty();
  if (found || !needs_nvcc) {
    ReadVersions(system_, compiler, Headers(root), toolkit);
    found = found || !toolkit.version.empty() || HasRuntime(root);
  }
  if (found) {
    copies_.push_back(std::move(toolkit));
  } else {
    rejected_.insert(key);
  }
}

void ToolkitSearch::AddPattern(const std::string& pattern, ToolkitKind kind) {
  for (const std::string& path : snapshot::ExpandPattern(view_, pattern)) Add(path, kind);
}

void ToolkitSearch::AddPip(const snapshot::PythonEnvironment& environment) {
  for (const std::string& site : environment.site_packages) {
    for (const char* below : {"nvidia/cu13", "nvidia/cu14", "nvidia/cuda_nvcc"})
      Add(JoinPath(site, below), ToolkitKind::kPip, /*needs_nvcc=*/true);
  }
}

}  // namespace culprit::collect

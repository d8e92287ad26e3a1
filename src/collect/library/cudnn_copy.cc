#include "collect/library/cudnn_copy.h"

#include <algorithm>
#include <iterator>

#include "base/parallel/in_parallel.h"
#include "base/text.h"
#include "collect/toolkit/c_header.h"

namespace culprit::collect {

using snapshot::CudnnCopy;
using snapshot::CudnnPart;

namespace {
constexpr size_t kDirectoriesEach = 2;  // for one thread, at least
}

void CudnnVersionVotes::Add(const CudnnPart& part, const snapshot::Fact<snapshot::LibraryVersion>& version,
                            CudnnCopy& copy) {
  if (!version) return;
  if (const int count = ++votes_[version->version]; copy.version.empty() || count > votes_[copy.version]) {
    copy.version = version->version;
    copy.version_source = version.source;
  }
  if (copy.cuda.empty() && !version->cuda.empty()) {
    copy.cuda = version->cuda;
    copy.cuda_source = part.path;
  }
}

void ReadCudnnHeader(const system::System& system, std::span<const std::string> directories,
                     std::span<const std::string> names, CudnnCopy& copy) {
  constexpr uint64_t kHeaderLimit = 1 << 20;
  for (const std::string& directory : directories) {
    for (const std::string& name : names) {
      const std::string path = base::JoinPath(directory, name);
      const auto text = system::ReadWholeFile(system, path, kHeaderLimit);
      const std::string version = text ? CudnnHeaderVersion(*text) : "";
      if (version.empty()) continue;
      copy.header = path;
      copy.header_version = version;
      return;
    }
  }
}

// A copy of the package cudnn-jit: only what compiles at run time, on purpose (data/cudnn.toml,
// package-cudnn-jit).
bool IsJitOnly(const std::string& shim, const CudnnCopy& copy) {
  const auto compiles = [](const CudnnPart& part) {
    return base::Contains(part.name, "_engines_runtime_compiled");
  };
  return std::ranges::any_of(copy.parts, compiles) &&
         std::ranges::all_of(copy.parts, [&](const CudnnPart& part) {
           return part.name == shim || base::Contains(part.name, "cudnn_graph") || compiles(part);
         });
}

// cuDNN 8 always ships all of its parts; cuDNN 9 leaves some out on purpose, the optional ones.
void NoteMissingParts(
    const std::string& shim, std::span<const knowledge::DlopenEdge> knowledge::Library::* opens,
    const std::function<std::string(const knowledge::Library& part, std::string_view asked)>& file_of,
    CudnnCopy& copy) {
  if (IsJitOnly(shim, copy)) return;
  std::vector<std::string> wanted = {shim};
  for (size_t i = 0; i < wanted.size(); ++i) {
    const knowledge::Library* library = knowledge::FindLibrary(wanted[i]);
    if (library == nullptr) continue;
    for (const knowledge::DlopenEdge& edge : library->*opens) {
      if ((edge.optional && copy.major != 8) || !knowledge::Applies(edge, copy.version, copy.cuda)) continue;
      for (const std::string_view name : edge.names) {
        const knowledge::Library* part = knowledge::FindLibrary(name);
        if (part == nullptr || part->family != "cudnn" || name.find('{') != std::string_view::npos) continue;
        std::string file = file_of(*part, name);
        if (!file.empty() && std::ranges::find(wanted, file) == wanted.end())
          wanted.push_back(std::move(file));
      }
    }
  }
  for (const std::string& file : wanted) {
    const bool there = std::ranges::any_of(copy.parts, [&](const CudnnPart& part) {
      return part.name == file && part.problem.kind != snapshot::PartProblem::Kind::kDangling;
    });
    if (!there) copy.missing_parts.push_back(file);
  }
}

snapshot::Fact<std::vector<CudnnCopy>> CopiesIn(const system::System& system,
                                                std::span<const std::string> directories,
                                                const DirectoryReader& read) {
  using Copies = snapshot::Fact<std::vector<CudnnCopy>>;
  const std::string source = "directories of libraries";
  std::vector<std::optional<std::vector<CudnnCopy>>> found(directories.size());
  base::InParallel(found.size(), kDirectoriesEach, [&](size_t i) { found[i] = read(directories[i]); });
  std::vector<CudnnCopy> copies;
  std::string unreadable;
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i]) {
      std::ranges::move(*found[i], std::back_inserter(copies));
    } else if (const auto entries = system.List(directories[i]); !entries) {
      unreadable = directories[i] + ": " + std::string(base::Strerror(entries.error()));
    }
  }
  if (copies.empty() && !unreadable.empty()) return Copies::Unreadable(unreadable, source);
  return Copies::Of(std::move(copies), source);
}

}  // namespace culprit::collect

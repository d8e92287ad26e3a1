// Collector of cuDNN on Windows: every copy, by directory and major version; its parts, whether its DLLs are
// complete and named correctly, which CUDA it was built for, and who installed it.
#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/text.h"
#include "base/version.h"
#include "base/windows/path.h"
#include "collect/library/cudnn_copy.h"
#include "collect/library/package_owner.h"
#include "collect/live_file_view.h"
#include "collect/windows/dll_name.h"
#include "collect/windows/places.h"
#include "collect/windows/stack.h"
#include "knowledge/libraries.h"

namespace culprit::collect {
namespace {

using base::BaseName;
using base::DirName;
using base::JoinPath;
using base::PathError;
using binfmt::PeProblem;
using snapshot::CudnnCopy;
using snapshot::CudnnPart;
using snapshot::FileFacts;
using snapshot::PartProblem;

constexpr std::array<std::string_view, 22> kWindowsCudnnReads = {
    "$usual",
    "$PATH",
    "$CUDA_PATH*/bin/**",
    "$CUDA_HOME/bin/**",
    "$CUDNN*/bin/**",
    "$CONDA_PREFIX/Library/bin",
    "$VIRTUAL_ENV/Library/bin",
    "$prefix/*",
    "$prefix/Library/bin",
    "$prefix/Scripts",
    "$site",
    "/C:/Windows/System32",
    "HKLM/SYSTEM/CurrentControlSet/Control/Session Manager/Environment",
    "HKCU/Environment",
    // in those directories
    "/**/cudnn*.dll",
    "/**/include/cudnn*.h",
    "/**/include/*/cudnn*.h",
    // who installed them: records in the directories above
    "/**/dist-info",
    "/**/*.dist-info/RECORD",
    "/**/conda-meta",
    "/**/conda-meta/*",
    "/**/version.json",
};

// The file name of each part.
using DllNames = std::map<std::string, std::string>;

PartProblem ProblemOf(const FileFacts& facts) {
  using enum PartProblem::Kind;
  if (facts.error != PathError::kNone) return {kOther, std::string(base::Strerror(facts.error))};
  if (facts.kind != snapshot::FileKind::kRegular) return kNotAFile;
  if (facts.size == 0) return kEmpty;
  if (facts.elf != nullptr && facts.elf->bits() != 0) return kLinuxLibrary;
  if (facts.pe == nullptr) return {};
  switch (facts.pe->problem) {
    case PeProblem::kNone:
      break;
    case PeProblem::kEmpty:
      return kEmpty;
    case PeProblem::kTooShort:
    case PeProblem::kHeadersCut:
    case PeProblem::kSectionsCut:
    case PeProblem::kImportsCut:
      return kCutShort;
    case PeProblem::kNotPe:
    case PeProblem::kBadHeader:
      return kNotADll;
    case PeProblem::kReadFailed:
      return kUnreadable;
  }
  if (!facts.pe->complete()) return kCutShort;
  return facts.pe->bits == 32 ? k32BitDll : kNone;
}

// A DLL knows its own name. Renaming one to satisfy a program gives the program the wrong functions.
PartProblem RenamedFrom(const binfmt::PeFile& pe, const std::string& part, uint32_t major) {
  if (pe.export_name) {
    const auto own = ParseCudnnDll(*pe.export_name);
    if (own && (own->part != part || own->major != major))
      return {PartProblem::Kind::kRenamed, "its export table names it " + *pe.export_name};
  }
  if (!pe.version || pe.version->String("ProductName").find("cuDNN") == std::string_view::npos) return {};
  const auto version = base::Version::Parse(pe.version->file_version);
  if (!version || version->part(0) == major || pe.version->file_version.starts_with("6.14.11.")) return {};
  return {PartProblem::Kind::kRenamed, "it belongs to cuDNN " + pe.version->file_version};
}

class WindowsCudnnReader {
 public:
  WindowsCudnnReader(const Surroundings& around, LiveFileView& view) : system_(around.system), view_(view) {}

  std::optional<std::vector<CudnnCopy>> ReadDirectory(const std::string& directory);

 private:
  CudnnCopy ReadCopy(const std::string& directory, uint32_t major, const DllNames& names);
  CudnnPart ReadPart(const std::string& directory, uint32_t major, const std::string& part,
                     const std::string& file);
  void ReadHeader(CudnnCopy& copy);

  const system::System& system_;
  LiveFileView& view_;
};

CudnnPart WindowsCudnnReader::ReadPart(const std::string& directory, uint32_t major, const std::string& name,
                                       const std::string& file) {
  CudnnPart part{.name = CudnnDll(name, major), .path = JoinPath(directory, file)};
  const FileFacts& facts = view_.Open(part.path);
  part.problem = ProblemOf(facts);
  const bool readable = !part.problem || part.problem.kind == PartProblem::Kind::k32BitDll;
  if (!readable) return part;
  if (const auto version = view_.Version(part.path)) part.version = version->version;
  if (!part.problem && facts.pe != nullptr) part.problem = RenamedFrom(*facts.pe, name, major);
  return part;
}

// <root>\include next to <root>\bin; the cuDNN 9 installer has include\12.6 next to bin\12.6.
void WindowsCudnnReader::ReadHeader(CudnnCopy& copy) {
  const std::string real = view_.RealPath(copy.directory);
  const std::string above(DirName(real)), name(BaseName(real));
  std::vector<std::string> places = {JoinPath(above, "include")};
  if (base::SameName(BaseName(above), "bin")) {
    places.push_back(JoinPath(DirName(above), "include/" + name));
    places.push_back(JoinPath(DirName(above), "include"));
  }
  ReadCudnnHeader(system_, places, std::array<std::string, 2>{"cudnn_version.h", "cudnn.h"}, copy);
}

CudnnCopy WindowsCudnnReader::ReadCopy(const std::string& directory, uint32_t major, const DllNames& names) {
  CudnnCopy copy{.directory = directory, .major = major};
  CudnnVersionVotes votes;
  for (const auto& [name, file] : names) {
    copy.parts.push_back(ReadPart(directory, major, name, file));
    const CudnnPart& part = copy.parts.back();
    const FileFacts& facts = view_.Open(part.path);
    if (facts.pe != nullptr && copy.machine.empty() && facts.pe->machine != 0)
      copy.machine = binfmt::PeMachineName(facts.pe->machine);
    if (!part.version.empty()) votes.Add(part, view_.Version(part.path), copy);
  }
  copy.owner = FindOwner(system_, view_.RealPath(copy.parts.front().path), "cudnn").owner;
  ReadHeader(copy);
  NoteMissingParts(
      CudnnDll("cudnn", major), &knowledge::Library::opens_windows,
      [&](const knowledge::Library& part, std::string_view) { return CudnnDll(part.name, major); }, copy);
  return copy;
}

std::optional<std::vector<CudnnCopy>> WindowsCudnnReader::ReadDirectory(const std::string& directory) {
  const auto items = view_.List(directory);
  if (!items) return std::nullopt;
  std::vector<CudnnCopy> copies;
  std::map<uint32_t, DllNames> majors;
  for (const auto& item : *items) {
    if (item.kind == snapshot::FileKind::kDirectory) continue;
    if (const auto name = ParseCudnnDll(item.name)) majors[name->major].emplace(name->part, item.name);
  }
  for (const auto& [major, names] : majors) copies.push_back(ReadCopy(directory, major, names));
  return copies;
}

}  // namespace

const CollectorInfo kWindowsCudnnCollector = {"cudnn", kWindowsCudnnReads};

snapshot::Fact<std::vector<CudnnCopy>> CollectWindowsCudnn(
    const Surroundings& around, std::span<const snapshot::PythonEnvironment> environments) {
  LiveFileView places(around.system);
  return CopiesIn(around.system, DllPlaces(around, environments, places), [&](const std::string& directory) {
    LiveFileView view(around.system);
    return WindowsCudnnReader(around, view).ReadDirectory(directory);
  });
}

}  // namespace culprit::collect

// Collector of cuDNN on Windows: every copy, by directory and major version; what it consists of, whether its
// DLLs are whole and what their names say, for which CUDA it was built, and who installed it.
#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"
#include "base/version.h"
#include "base/windows_path.h"
#include "collect/c_header.h"
#include "collect/linux/package_owner.h"
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

constexpr uint64_t kWindowsCudnnHeaderLimit = 1 << 20;

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

// The file of each part.
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

// A DLL knows its own name; who renames one to satisfy a program gets another library's functions.
PartProblem RenamedFrom(const binfmt::PeFile& pe, const std::string& part, uint32_t major) {
  if (pe.export_name) {
    const auto own = ParseCudnnDll(*pe.export_name);
    if (own && (own->part != part || own->major != major))
      return {PartProblem::Kind::kRenamed, "it calls itself " + *pe.export_name};
  }
  if (!pe.version || pe.version->String("ProductName").find("cuDNN") == std::string_view::npos) return {};
  const auto version = base::Version::Parse(pe.version->file_version);
  if (!version || version->part(0) == major || pe.version->file_version.starts_with("6.14.11.")) return {};
  return {PartProblem::Kind::kRenamed, "it is of cuDNN " + pe.version->file_version};
}

class WindowsCudnnReader {
 public:
  WindowsCudnnReader(const Surroundings& around, LiveFileView& view) : system_(around.system), view_(view) {}

  std::vector<CudnnCopy> ReadDirectory(const std::string& directory);

 private:
  CudnnCopy ReadCopy(const std::string& directory, uint32_t major, const DllNames& names);
  CudnnPart ReadPart(const std::string& directory, uint32_t major, const std::string& part,
                     const std::string& file);
  void ReadHeader(CudnnCopy& copy);
  void NoteMissing(CudnnCopy& copy, const DllNames& names);

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

// <root>\include beside <root>\bin; the installer of cuDNN 9 has include\12.6 beside bin\12.6.
void WindowsCudnnReader::ReadHeader(CudnnCopy& copy) {
  const std::string real = view_.RealPath(copy.directory);
  const std::string above(DirName(real)), name(BaseName(real));
  std::vector<std::string> places = {JoinPath(above, "include")};
  if (base::SameName(BaseName(above), "bin")) {
    places.push_back(JoinPath(DirName(above), "include/" + name));
    places.push_back(JoinPath(DirName(above), "include"));
  }
  for (const std::string& place : places) {
    for (const char* file : {"cudnn_version.h", "cudnn.h"}) {
      const std::string path = JoinPath(place, file);
      const auto text = system::ReadWholeFile(system_, path, kWindowsCudnnHeaderLimit);
      const std::string version = text ? CudnnHeaderVersion(*text) : "";
      if (version.empty()) continue;
      copy.header = path;
      copy.header_version = version;
      return;
    }
  }
}

// What the shim and its parts open in this version (data/libraries.toml). Of cuDNN 8 all parts are always
// shipped; of cuDNN 9 some are left out on purpose, and those are the optional ones.
void WindowsCudnnReader::NoteMissing(CudnnCopy& copy, const DllNames& names) {
  std::vector<std::string> wanted = {"cudnn"};
  for (size_t i = 0; i < wanted.size(); ++i) {
    const knowledge::Library* library = knowledge::FindLibrary(CudnnDll(wanted[i], copy.major));
    if (library == nullptr) continue;
    for (const knowledge::DlopenEdge& edge : library->opens_windows) {
      if ((edge.optional && copy.major != 8) || !knowledge::Applies(edge, copy.version, copy.cuda)) continue;
      for (const std::string_view name : edge.names) {
        if (name.find('{') != std::string_view::npos) continue;
        const knowledge::Library* part = knowledge::FindLibrary(name);
        if (part == nullptr || part->family != "cudnn") continue;
        if (std::ranges::find(wanted, part->name) == wanted.end()) wanted.emplace_back(part->name);
      }
    }
  }
  for (const std::string& part : wanted) {
    if (!names.contains(part)) copy.missing_parts.push_back(CudnnDll(part, copy.major));
  }
}

CudnnCopy WindowsCudnnReader::ReadCopy(const std::string& directory, uint32_t major, const DllNames& names) {
  CudnnCopy copy{.directory = directory, .major = major};
  std::map<std::string, int> votes;
  for (const auto& [name, file] : names) {
    copy.parts.push_back(ReadPart(directory, major, name, file));
    const CudnnPart& part = copy.parts.back();
    const FileFacts& facts = view_.Open(part.path);
    if (facts.pe != nullptr && copy.machine.empty() && facts.pe->machine != 0)
      copy.machine = binfmt::PeMachineName(facts.pe->machine);
    if (part.version.empty()) continue;
    const auto version = view_.Version(part.path);
    if (const int count = ++votes[part.version]; copy.version.empty() || count > votes[copy.version]) {
      copy.version = part.version;
      copy.version_source = version.source;
    }
    if (copy.cuda.empty() && !version->cuda.empty()) {
      copy.cuda = version->cuda;
      copy.cuda_source = part.path;
    }
  }
  copy.owner = FindOwner(system_, view_.RealPath(copy.parts.front().path), "cudnn").owner;
  ReadHeader(copy);
  NoteMissing(copy, names);
  return copy;
}

std::vector<CudnnCopy> WindowsCudnnReader::ReadDirectory(const std::string& directory) {
  std::vector<CudnnCopy> copies;
  const auto items = view_.List(directory);
  if (!items) return copies;
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
  using Copies = snapshot::Fact<std::vector<CudnnCopy>>;
  LiveFileView view(around.system);
  WindowsCudnnReader reader(around, view);
  std::vector<CudnnCopy> copies;
  std::string unreadable;
  for (const std::string& directory : DllPlaces(around, environments, view)) {
    std::vector<CudnnCopy> here = reader.ReadDirectory(directory);
    if (here.empty()) {
      const auto entries = around.system.List(directory);
      if (!entries) unreadable = directory + ": " + std::string(base::Strerror(entries.error()));
    }
    std::ranges::move(here, std::back_inserter(copies));
  }
  if (copies.empty() && !unreadable.empty())
    return Copies::Unreadable(unreadable, "directories of libraries");
  return Copies::Of(std::move(copies), "directories of libraries");
}

}  // namespace culprit::collect

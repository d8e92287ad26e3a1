// The version of a CUDA library that is a DLL. Its name has the major version at most (cudnn64_8.dll), so the
// sources are, in this order: the version resource, a number that it exports, a text inside cuDNN's graph
// library, the record of its package, the DLLs next to it, the toolkit's version.json.
//
// Version resources differ. Since 8.9, cuDNN has its own version as the file version. Older cuDNN and the
// toolkit's DLLs have 6.14.11.x there; the toolkit's say "..., Version 12.4.127" in their description, but
// old cuDNN always says "Version 6.5.0". So for cuDNN a file version counts only if it starts with the number
// in the DLL's name.
#include "collect/library/library_version.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"
#include "base/version.h"
#include "base/windows/path.h"
#include "collect/library/runtime_inside.h"
#include "collect/library/text_search.h"
#include "collect/windows/dll_name.h"
#include "collect/windows/stack.h"
#include "knowledge/libraries.h"

namespace culprit::collect {
namespace {

using base::BaseName;
using base::DirName;
using base::JoinPath;
using knowledge::Library;
using system::System;

constexpr uint64_t kDllSearchLimit = 8 << 20;

// "NVIDIA CUDA Runtime, Version 12.4.127 " -> "12.4.127"; "NVIDIA CUDA 12.4.127 NVRTC" likewise.
std::string VersionInText(std::string_view text) {
  for (const std::string_view marker : {"Version ", "NVIDIA CUDA "}) {
    const size_t at = text.find(marker);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = text.substr(at + marker.size());
    const std::string_view number = rest.substr(0, rest.find_first_not_of("0123456789."));
    const auto version = base::Version::Parse(number);
    if (version && version->parts.size() >= 2) return std::string(number);
  }
  return "";
}

std::optional<VersionReading> FromResource(const Library& library, const std::string& path,
                                           const binfmt::PeFile& pe) {
  if (!pe.version) return std::nullopt;
  const std::string source = "version resource of " + path;
  const std::string& number = pe.version->file_version;
  if (library.family == "driver") {
    const std::string version = NvidiaVersion(number);
    if (version.empty()) return std::nullopt;
    return VersionReading{version, source};
  }
  const auto version = base::Version::Parse(number);
  const bool own = version && version->part(0) > 0 && !number.starts_with("6.14.11.");
  if (library.family == "cudnn") {
    const auto name = ParseCudnnDll(BaseName(path));
    if (own && (!name || name->major == version->part(0))) return VersionReading{number, source};
    return std::nullopt;
  }
  for (const char* key : {"FileDescription", "ProductName"}) {
    if (std::string text = VersionInText(pe.version->String(key)); !text.empty())
      return VersionReading{std::move(text), source};
  }
  if (own) return VersionReading{number, source};
  return std::nullopt;
}

// An exported word: major << 16 | minor << 8 | patch.
std::optional<VersionReading> FromWord(const base::ByteSource& bytes, const Library& library,
                                       const std::string& path, const binfmt::PeFile& pe) {
  for (const std::string_view symbol : library.version_symbols) {
    const auto word = binfmt::ReadPeWord(bytes, pe, symbol);
    if (!word || *word == 0) continue;
    const base::Version version{{*word >> 16, *word >> 8 & 0xff, *word & 0xff}};
    return VersionReading{version.ToString(), "symbol " + std::string(symbol) + " in " + path};
  }
  return std::nullopt;
}

// "cudnn_version_9_1_0_70_34102860_e0" among the constants of a library without a version resource.
std::optional<VersionReading> FromText(const base::ByteSource& bytes, const std::string& path) {
  const auto text = TextAfter(bytes, "cudnn_version_", SearchFrom::kEnd, kDllSearchLimit);
  if (!text) return std::nullopt;
  const auto numbers = base::Split(*text, '_');
  if (numbers.size() < 4) return std::nullopt;
  const std::string version = numbers[0] + "." + numbers[1] + "." + numbers[2] + "." + numbers[3];
  if (!base::Version::Parse(version)) return std::nullopt;
  return VersionReading{version, "text cudnn_version_" + text->substr(0, 40) + " in " + path};
}

std::optional<VersionReading> OfFile(const System& system, const Library& library, const std::string& path,
                                     const binfmt::PeFile& pe) {
  if (auto read = FromResource(library, path, pe)) return read;
  if (pe.problem != binfmt::PeProblem::kNone && pe.problem != binfmt::PeProblem::kSectionsCut)
    return std::nullopt;
  const auto file = system.Open(path);
  if (!file || !file->bytes) return std::nullopt;
  auto word = FromWord(*file->bytes, library, path, pe);
  if (library.name != "cudnn_graph") return word;
  auto text = FromText(*file->bytes, path);
  return text ? text : word;
}

std::string CudaOfCudnn(const System& system, const std::string& path) {
  const auto name = ParseCudnnDll(BaseName(path));
  if (!name) return "";
  const auto file = system.Open(path);
  return file && file->bytes ? CudaNamedInside(name->part, *file->bytes) : "";
}

// A part of cuDNN without its own version has that of the parts next to it.
std::optional<VersionReading> FromSibling(const System& system, const std::string& real_path) {
  const auto name = ParseCudnnDll(BaseName(real_path));
  if (!name) return std::nullopt;
  for (const char* part : {"cudnn_graph", "cudnn_ops", "cudnn_ops_infer", "cudnn"}) {
    const std::string path = JoinPath(DirName(real_path), CudnnDll(part, name->major));
    const Library* other = knowledge::FindLibrary(BaseName(path));
    if (other == nullptr || base::SameName(path, real_path)) continue;
    const auto file = system.Open(path);
    if (!file || !file->bytes) continue;
    if (auto read = OfFile(system, *other, path, binfmt::ReadPe(*file->bytes))) return read;
  }
  return std::nullopt;
}

}  // namespace

snapshot::Fact<snapshot::LibraryVersion> VersionReader::ReadDll(const std::string& path,
                                                                const std::string& real_path,
                                                                const binfmt::PeFile& pe) {
  using Version = snapshot::Fact<snapshot::LibraryVersion>;
  const Library* library = knowledge::FindLibrary(BaseName(path));
  if (library == nullptr) return RuntimeInside(system_, path, pe);
  std::optional<VersionReading> read = OfFile(system_, *library, path, pe);
  const std::optional<PipRecord> record = UsePipRecord(*library, real_path, read);
  if (!read && library->family == "cudnn") read = FromSibling(system_, real_path);
  if (!read) read = VersionFromToolkit(system_, library->name, real_path);
  if (!read)
    return Version::Absent("no resource, symbol or package record of " + path + " contains a version");
  std::string cuda = record ? CudaSuffix(record->package) : "";
  if (cuda.empty()) cuda = CudaOfDll(path, pe);
  if (cuda.empty()) cuda = CudaOfCudnn(system_, path);
  return Version::Of({read->version, cuda}, read->source);
}

}  // namespace culprit::collect

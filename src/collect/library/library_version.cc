#include "collect/library/library_version.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "base/version.h"
#include "binfmt/elf/elf.h"
#include "binfmt/library_names.h"
#include "collect/library/package_owner.h"
#include "collect/library/runtime_inside.h"
#include "knowledge/libraries.h"
#include "knowledge/packages/sonames.h"

namespace culprit::collect {
namespace {

using base::BaseName;
using base::DirName;
using base::JoinPath;
using knowledge::Library;
using system::System;

using Reading = VersionReading;

constexpr uint64_t kRecordLimit = 16 << 20;
constexpr uint64_t kAllRecordsLimit = 64 << 20;  // of those that are kept
constexpr std::string_view kDistInfo = ".dist-info";

std::optional<Reading> ReadSymbol(const System& system, const Library& library, const std::string& path) {
  const auto file = system.Open(path);
  if (!file || !file->bytes) return std::nullopt;
  const binfmt::ElfFile elf = binfmt::ReadElf(*file->bytes);
  for (const std::string_view symbol : library.version_symbols) {
    const auto word = binfmt::ReadElfWord(*file->bytes, elf, symbol);
    if (!word || *word == 0) continue;
    const base::Version version{{*word >> 16, *word >> 8 & 0xff, *word & 0xff}};
    return Reading{version.ToString(), "symbol " + std::string(symbol) + " in " + path};
  }
  return std::nullopt;
}

// (b) The name of the real file, if it has more than the major version: libcublas.so.12.4.5.8.
std::optional<Reading> FromFileName(const std::string& real_path) {
  const std::string_view name = BaseName(real_path);
  const size_t at = name.find(".so.");
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view text = name.substr(at + 4);
  const auto version = base::Version::Parse(text);
  if (!version || version->parts.size() < 3) return std::nullopt;
  return Reading{std::string(text),
                 "file name " + real_path};  // verbatim: a driver is 580.95.05, not 580.95.5
}

// Directories that may contain a package record: a few levels above the library, and a dist-info folder there
// (a toolkit unpacked from wheels).
std::vector<std::string> RecordDirectories(const std::string& real_path) {
  std::vector<std::string> directories;
  std::string_view directory = DirName(real_path);
  for (int level = 0; level < 4 && directory.size() > 1; ++level) {
    directory = DirName(directory);
    directories.emplace_back(directory);
    directories.push_back(JoinPath(directory, "dist-info"));
  }
  return directories;
}

}  // namespace

// (e) version.json of the toolkit that contains the file; its keys are "libcublas", "cuda_cudart" ...
std::optional<Reading> VersionFromToolkit(const System& system, std::string_view library,
                                          const std::string& real_path) {
  std::string lower;
  for (const char c : library) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  std::string_view directory = DirName(real_path);
  for (int level = 0; level < 3 && directory.size() > 1; ++level) {
    directory = DirName(directory);
    const std::string file = JoinPath(directory, "version.json");
    const auto text = system::ReadWholeFile(system, file, kVersionFileLimit);
    if (!text) continue;
    const base::Json json = base::ParseJson(*text);
    if (!json.is_object()) continue;
    for (const std::string& key : {"lib" + lower, "cuda_" + lower}) {
      const auto item = json.find(key);
      if (item == json.end() || !item->is_object()) continue;
      const auto version = item->find("version");
      if (version == item->end() || !version->is_string()) continue;
      return Reading{version->get<std::string>(), file};
    }
  }
  return std::nullopt;
}

std::string CudaSuffix(std::string_view text) {
  const size_t at = text.rfind("cu");
  if (at == std::string_view::npos) return "";
  const std::string_view digits = text.substr(at + 2);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) return "";
  return std::string(digits);
}

namespace {

// "12" for libcublas.so.12; "" if the name does not tell.
std::string CudaMajorOfName(std::string_view name) {
  const knowledge::SonameRow* row = knowledge::FindSoname(name);
  return row == nullptr ? "" : knowledge::CudaMajorOf(*row);
}

// A library that opens others of its CUDA by name has these names inside. "" if they are of several CUDAs.
std::string CudaOfNamesInside(const System& system, const Library& library, const std::string& path,
                              const binfmt::ElfFile& elf) {
  const bool opens = std::ranges::any_of(library.opens, [](const auto& edge) {
    return std::ranges::any_of(edge.names,
                               [](std::string_view name) { return base::Contains(name, "{cuda}"); });
  });
  if (!opens) return "";
  const auto file = system.Open(path);
  if (!file || !file->bytes) return "";
  std::string cuda;
  for (const std::string& name : binfmt::ReadLibraryNames(*file->bytes, elf)) {
    const std::string one = CudaMajorOfName(name);
    if (!one.empty() && !cuda.empty() && one != cuda) return "";
    if (!one.empty()) cuda = one;
  }
  return cuda;
}

// The CUDA major version that a library was built for, if its file or its package says so.
std::string CudaOf(const Library& library, std::string_view package, const binfmt::ElfFile& elf) {
  if (std::string suffix = CudaSuffix(package); !suffix.empty()) return suffix;
  std::vector<std::string_view> names;
  if (elf.soname) names.emplace_back(*elf.soname);
  for (const binfmt::ElfRequest& request : elf.requests) names.emplace_back(request.name);
  for (const std::string_view name : names) {
    if (std::string cuda = CudaMajorOfName(name); !cuda.empty()) return cuda;
  }
  if (elf.runpath && library.family == "cudnn") {
    for (const std::string& part : base::SplitWords(*elf.runpath, ":/")) {
      if (part.starts_with("cu") && CudaSuffix(part).size() == part.size() - 2) return CudaSuffix(part);
    }
  }
  return "";
}

}  // namespace

// (a) An exported word: major << 16 | minor << 8 | patch. One library may speak for many next to it.
std::optional<Reading> VersionReader::OfSymbol(const Library& library, const std::string& path) {
  if (library.version_symbols.empty()) return std::nullopt;
  const auto [place, fresh] = symbols_.try_emplace(path);
  if (fresh) place->second = ReadSymbol(system_, library, path);
  return place->second;
}

// (c) A library next to it that has the version of both.
std::optional<Reading> VersionReader::OfSibling(const Library& library, const std::string& real_path) {
  for (const std::string_view sibling : library.version_siblings) {
    const std::string path = JoinPath(DirName(real_path), sibling);
    const Library* other = knowledge::FindLibrary(sibling);
    if (other == nullptr || other == &library) continue;
    if (auto read = OfSymbol(*other, path)) return read;
    if (const auto real = system_.RealPath(path)) {
      if (auto read = FromFileName(*real)) return read;
    }
  }
  return std::nullopt;
}

const std::vector<std::string>& VersionReader::Records(const std::string& directory) {
  const auto [place, fresh] = records_.try_emplace(directory);
  if (!fresh) return place->second;
  if (const auto entries = system_.List(directory)) {
    for (const auto& entry : *entries) {
      if (entry.name.ends_with(kDistInfo)) place->second.push_back(entry.name);
    }
  }
  return place->second;
}

// (d) The dist-info of the pip package that lists this file.
std::optional<VersionReader::PipRecord> VersionReader::FindPipRecord(
    std::span<const std::string_view> packages, const std::string& real_path) {
  for (const std::string& directory : RecordDirectories(real_path)) {
    for (const std::string& name : Records(directory)) {
      const size_t dash = name.find('-');
      const std::string_view package = std::string_view(name).substr(0, dash);
      if (std::ranges::find(packages, package) == packages.end()) continue;
      const std::string record = JoinPath(JoinPath(directory, name), "RECORD");
      const auto [text, fresh] = record_texts_.try_emplace(record);
      if (fresh && record_bytes_ > kAllRecordsLimit) {
        system_.NoteUnread(record, base::Unread::kTooMuch);
      } else if (fresh) {
        text->second = system::ReadWholeFile(system_, record, kRecordLimit).value_or("");
        record_bytes_ += text->second.size();
      }
      if (!RecordLists(text->second, directory, real_path)) continue;
      return PipRecord{std::string(package), name.substr(dash + 1, name.size() - dash - 1 - kDistInfo.size()),
                       JoinPath(directory, name)};
    }
  }
  return std::nullopt;
}

std::optional<VersionReader::PipRecord> VersionReader::UsePipRecord(const Library& library,
                                                                    const std::string& real_path,
                                                                    std::optional<Reading>& read) {
  if (library.packages.empty()) return std::nullopt;
  std::optional<PipRecord> record = FindPipRecord(library.packages, real_path);
  if (record && (!read || record->version.starts_with(read->version + ".")))
    read = Reading{record->version, record->directory};
  return record;
}

snapshot::Fact<snapshot::LibraryVersion> VersionReader::Read(const std::string& path,
                                                             const std::string& real_path,
                                                             const binfmt::ElfFile& elf) {
  using Version = snapshot::Fact<snapshot::LibraryVersion>;
  const Library* library = knowledge::FindLibrary(BaseName(path));
  if (library == nullptr) library = knowledge::FindLibrary(BaseName(real_path));
  if (library == nullptr) return RuntimeInside(system_, path, elf);

  std::optional<Reading> read = OfSymbol(*library, path);
  if (!read) read = FromFileName(real_path);
  if (!read) read = OfSibling(*library, real_path);
  const std::optional<PipRecord> record = UsePipRecord(*library, real_path, read);
  if (!read) read = VersionFromToolkit(system_, library->name, real_path);
  if (!read)
    return Version::Absent("no symbol, file name or package record of " + path + " contains a version");
  std::string cuda = CudaOf(*library, record ? record->package : "", elf);
  if (cuda.empty()) cuda = CudaOfNamesInside(system_, *library, path, elf);
  return Version::Of({read->version, std::move(cuda)}, read->source);
}

}  // namespace culprit::collect

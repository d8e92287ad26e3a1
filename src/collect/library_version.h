// The version of a CUDA library, read without running it. Reads: the file itself, the names beside it, and
// the records of its package (pip dist-info, the toolkit's version.json). The first source that knows wins; a
// name like libcublas.so.12 tells only a generation and is no version.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "binfmt/elf/elf.h"
#include "binfmt/pe/pe.h"
#include "knowledge/libraries.h"
#include "snapshot/file_view.h"
#include "system/system.h"

namespace culprit::collect {

struct VersionReading {
  std::string version;
  std::string source;
};

class VersionReader {
 public:
  explicit VersionReader(const system::System& system) : system_(system) {}

  // Not applicable for a file that data/libraries.toml does not know.
  snapshot::Fact<snapshot::LibraryVersion> Read(const std::string& path, const std::string& real_path,
                                                const binfmt::ElfFile& elf);
  // The same of a DLL (windows_library_version.cc).
  snapshot::Fact<snapshot::LibraryVersion> ReadDll(const std::string& path, const std::string& real_path,
                                                   const binfmt::PeFile& pe);

 private:
  struct PipRecord {
    std::string package;  // "nvidia_cudnn_cu12"
    std::string version;
    std::string directory;
  };
  std::optional<PipRecord> FindPipRecord(std::span<const std::string_view> packages,
                                         const std::string& real_path);
  std::optional<VersionReading> OfSymbol(const knowledge::Library& library, const std::string& path);
  std::optional<VersionReading> OfSibling(const knowledge::Library& library, const std::string& real_path);
  // The names in a directory that end in ".dist-info".
  const std::vector<std::string>& Records(const std::string& directory);

  const system::System& system_;
  std::map<std::string, std::vector<std::string>> records_;
  std::map<std::string, std::string> record_texts_;
  std::map<std::string, std::optional<VersionReading>> symbols_;
};

// version.json of the toolkit that a library of this name ("cublasLt") lies in; its file is in `source`.
std::optional<VersionReading> VersionFromToolkit(const system::System& system, std::string_view library,
                                                 const std::string& real_path);
// "12" of "nvidia_cudnn_cu12" or of the component "cu12" of a run path; "" when the text does not end so.
std::string CudaSuffix(std::string_view text);

}  // namespace culprit::collect

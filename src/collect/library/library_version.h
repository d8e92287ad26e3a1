// The version of a CUDA library, read without running it. Reads: the file itself, the names next to it, and
// the records of its package (pip dist-info, the toolkit's version.json). The first source that knows wins; a
// name like libcublas.so.12 gives only the major version, which is not enough.
#pragma once

#include <cstdint>
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

// A toolkit's version.json has some kilobytes.
inline constexpr uint64_t kVersionFileLimit = uint64_t{64} << 10;

struct VersionReading {
  std::string version;
  std::string source;
};

class VersionReader {
 public:
  explicit VersionReader(const system::System& system) : system_(system) {}

  // For a file that data/libraries.toml does not know, only the CUDA of the runtime that is linked into it
  // (runtime_inside.h).
  snapshot::Fact<snapshot::LibraryVersion> Read(const std::string& path, const std::string& real_path,
                                                const binfmt::ElfFile& elf);
  // The same for a DLL (windows/library_version.cc).
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
  // The same for `library`. Its version replaces a shorter form of it in `read`.
  std::optional<PipRecord> UsePipRecord(const knowledge::Library& library, const std::string& real_path,
                                        std::optional<VersionReading>& read);
  std::optional<VersionReading> OfSymbol(const knowledge::Library& library, const std::string& path);
  std::optional<VersionReading> OfSibling(const knowledge::Library& library, const std::string& real_path);
  // The names in a directory that end in ".dist-info".
  const std::vector<std::string>& Records(const std::string& directory);

  const system::System& system_;
  std::map<std::string, std::vector<std::string>> records_;
  std::map<std::string, std::string> record_texts_;
  uint64_t record_bytes_ = 0;  // of all of them
  std::map<std::string, std::optional<VersionReading>> symbols_;
};

// From the version.json of the toolkit that contains the library ("cublasLt"); its path is in `source`.
std::optional<VersionReading> VersionFromToolkit(const system::System& system, std::string_view library,
                                                 const std::string& real_path);
// "12" for "nvidia_cudnn_cu12" or for "cu12" in a run path; "" if the text does not end that way.
std::string CudaSuffix(std::string_view text);

}  // namespace culprit::collect

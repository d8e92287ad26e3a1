// Finds the GPU code containers in ranges of a file and reads the headers of their entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes/byte_source.h"
#include "binfmt/elf/reader.h"
#include "binfmt/gpu/fatbin.h"

namespace culprit::binfmt {

// The magic number of every container, in file order: 0xBA55ED50, little endian on every host.
inline constexpr uint32_t kFatbinMagic = 0xBA55ED50;

// Where the magic number starts in `bytes`; bytes.size() if it is not there.
size_t FindFatbinMagic(std::span<const std::byte> bytes);

class FatbinScanner {
 public:
  // Source and code must outlive the scanner.
  FatbinScanner(const base::ByteSource& source, const GpuCodeLimits& limits, GpuCode& code);

  // Adds the containers in a range to the code. With `only_containers` (and padding) there, anything else
  // with the magic number is a problem; in other data it is chance.
  void Scan(const FileRange& range, const std::string& section, bool only_containers);

 private:
  // The bytes starting at `offset`: at least `least` of them, unless the file ends before that.
  std::span<const std::byte> At(uint64_t offset, size_t least, size_t wanted);
  std::optional<uint64_t> Search(uint64_t at, uint64_t end);
  // Returns where to continue.
  uint64_t ReadContainer(uint64_t at, uint64_t end, const std::string& section, bool only_containers);
  uint64_t ReadEntries(uint64_t at, uint64_t stop, uint64_t end, std::vector<GpuTarget>& targets);
  void Count(const std::string& section, std::vector<GpuTarget> targets);
  void Problem(std::string what);
  void Damage(uint64_t at, const char* what);
  // Ends the whole scan.
  void Stop(std::string why);

  const base::ByteSource& source_;
  const GpuCodeLimits limits_;
  GpuCode& code_;
  std::vector<std::byte> buffer_;
  uint64_t buffer_at_ = 0;
  size_t buffer_length_ = 0;
  std::map<std::pair<std::string, std::vector<GpuTarget>>, size_t> known_;
  std::set<std::string> sections_;
  uint64_t headers_ = 0, searched_ = 0, kept_targets_ = 0;
  bool stopped_ = false;
};

}  // namespace culprit::binfmt

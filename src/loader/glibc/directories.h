// The directory lists of glibc's search and what it remembers about each directory: at the first visit it
// finds out which hwcaps subdirectories exist, and keeps that for the process (elf/dl-load.c: fillin_rpath,
// open_path; elf/dl-hwcaps.c).
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/cpu.h"
#include "loader/glibc/tokens.h"

namespace culprit::loader {

struct SearchDirectory {
  enum class Status : uint8_t { kUnknown, kExisting, kMissing };
  std::string name;            // with a trailing '/', or "" for the current directory
  std::vector<Status> status;  // one per subdirectory, the directory itself last
};

using DirectoryList = std::vector<SearchDirectory*>;

class DirectoryTable {
 public:
  explicit DirectoryTable(std::vector<std::string> subdirectories)
      : subdirectories_(std::move(subdirectories)) {}

  // Splits `text` at any of `separators`, expands tokens, and drops elements that expand to nothing and
  // duplicates. An empty element is the current directory.
  DirectoryList Parse(std::string_view text, std::string_view separators, const TokenValues& values);
  // Directories used as is (the compiled-in ones).
  DirectoryList Fixed(const std::vector<std::string>& names);
  // "glibc-hwcaps/x86-64-v3/", ..., "" last.
  const std::vector<std::string>& subdirectories() const { return subdirectories_; }

 private:
  SearchDirectory* Get(const std::string& name);

  std::vector<std::string> subdirectories_;
  std::deque<SearchDirectory> directories_;
};

// The subdirectories that glibc 2.`minor_version` tries below each directory, in order, "" last.
std::vector<std::string> HwcapsSubdirectories(const base::Cpu& cpu, int minor_version);

}  // namespace culprit::loader

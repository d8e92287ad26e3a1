// What `culprit inspect` says of one file, as plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/why.h"

namespace culprit::report {

struct SymbolVersions {
  std::string file;
  std::vector<std::string> versions;
};

struct FileAnswer {
  std::string path;
  std::string format;  // "elf", "unknown"
  std::string error;   // could not be read or is nothing known: one line; the rest is empty then
  int bits = 0;
  std::string machine;
  std::string type;  // "shared library", "program", "position-independent program", "object file" ...
  std::string endianness;
  std::optional<std::string> soname;
  std::vector<std::string> needed;
  std::vector<std::string> rpath;
  std::vector<std::string> runpath;
  std::optional<std::string> interpreter;
  std::vector<SymbolVersions> versions_needed;
  std::vector<std::string> versions_defined;
  bool executable_stack = false;
  std::optional<std::string> build_id;
  uint64_t size = 0;
  uint64_t needed_size = 0;
  bool complete = true;
  std::string title;
  LibraryVersion version;
};

struct InspectAnswer {
  std::vector<FileAnswer> files;
};

}  // namespace culprit::report

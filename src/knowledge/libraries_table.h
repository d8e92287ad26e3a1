// What the build generates from data/libraries.toml in addition to the rows: every name that identifies a
// row, sorted, so that a lookup is a binary search. Only libraries.cc uses this.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "knowledge/libraries.h"

namespace culprit::knowledge {

struct LibraryName {
  std::string_view name;  // soname, "libX.so.MAJOR" of a longer one, bare "libX.so", DLL in lower case
  uint16_t row;
  bool any_version;  // bare name of a library whose file numbers differ from its soname
};

// "cupti64_*.dll": some DLLs contain a number that no list can keep up with. In lower case.
struct DllPattern {
  std::string_view front;
  std::string_view back;
  uint16_t row;
};

// One row; libraries.h has a function for each list.
struct UsualPlaces {
  std::span<const std::string_view> directories, python, windows, windows_python;
};

std::span<const LibraryName> LibraryNames();
std::span<const DllPattern> DllPatterns();
std::span<const UsualPlaces> AllUsualPlaces();
std::span<const DlopenEdge> DlopenEdges();  // of all libraries

}  // namespace culprit::knowledge

// What the build generates from data/libraries.toml, beside the rows themselves: every name by which a row
// can be found, sorted, so that looking up is a binary search. Only libraries.cc sees this.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "knowledge/libraries.h"

namespace culprit::knowledge {

struct LibraryName {
  std::string_view name;  // a soname, "libX.so.MAJOR" of a longer one, or the bare "libX.so"
  uint16_t row;
  bool any_version;  // bare name of a library whose files are numbered apart from its soname
};

std::span<const LibraryName> LibraryNames();

}  // namespace culprit::knowledge

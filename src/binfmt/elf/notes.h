// Notes of a PT_NOTE segment. Only the build id is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "binfmt/elf/reader.h"

namespace culprit::binfmt {

// The first NT_GNU_BUILD_ID as hex; nullopt if the segment has none. `left` counts how many more notes of
// this file may be read.
std::optional<std::string> FindBuildId(ElfReader& reader, const ElfProgramHeader& segment, uint64_t& left);

}  // namespace culprit::binfmt

// Notes of a PT_NOTE segment. Only the build id is wanted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "binfmt/elf/reader.h"

namespace culprit::binfmt {

// The first NT_GNU_BUILD_ID as hex; nullopt when the segment has none. `left` counts the notes that may still
// be looked at in this file.
std::optional<std::string> FindBuildId(ElfReader& reader, const ElfProgramHeader& segment, uint64_t& left);

}  // namespace culprit::binfmt

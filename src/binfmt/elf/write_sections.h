// Sections for the files of elf/write.h, which have none.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace culprit::binfmt {

// `elf` is a 64-bit little-endian file; the sections (name, contents) and their table are appended.
std::string AddSections(std::string elf, const std::vector<std::pair<std::string, std::string>>& sections);

}  // namespace culprit::binfmt

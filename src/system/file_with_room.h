// A file of a size whose room on the disk is its own already, so that writing to it through memory cannot
// fail.
#pragma once

#include <cstdint>
#include <string>

namespace culprit::system {

// Private to the user. The size that it got: `most`, less where there is not so much room, 0 on failure.
uint64_t MakeFileWithRoom(const std::string& path, uint64_t most, uint64_t least);

}  // namespace culprit::system

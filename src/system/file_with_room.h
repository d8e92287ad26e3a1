// A file with its disk space already allocated, so that writing to it through a mapping cannot fail.
#pragma once

#include <cstdint>
#include <string>

namespace culprit::system {

// Private to the user. Returns its size: `most`, less if there is not enough space, 0 on failure.
uint64_t MakeFileWithRoom(const std::string& path, uint64_t most, uint64_t least);

}  // namespace culprit::system

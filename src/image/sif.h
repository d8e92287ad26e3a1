// The Singularity Image Format of Apptainer and SingularityCE: a header, descriptors, and parts, one of them
// the root file system.
// https://github.com/apptainer/sif/blob/main/pkg/sif/sif.go
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes/byte_source.h"
#include "base/error.h"

namespace culprit::image {

// Whether these first bytes (42 are enough) are those of a SIF.
bool IsSif(std::string_view start);

// Where the squashfs with the root file system lies.
struct SifRoot {
  uint64_t begin = 0, size = 0;
  std::string architecture;  // "amd64"; "" if the file names none that is known
};

// An error says what is there instead.
base::Result<SifRoot> FindSifRoot(const base::ByteSource& file);

}  // namespace culprit::image

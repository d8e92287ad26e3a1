// The version of a CUDA library, read without running it. Reads: the file itself, the names beside it, and
// the records of its package (pip dist-info, the toolkit's version.json). The first source that knows wins; a
// name like libcublas.so.12 tells only a generation and is no version.
#pragma once

#include <string>

#include "snapshot/file_view.h"
#include "system/system.h"

namespace culprit::collect {

// Not applicable for a file that data/libraries.toml does not know.
snapshot::Fact<snapshot::LibraryVersion> ReadLibraryVersion(const system::System& system,
                                                            const std::string& path);

}  // namespace culprit::collect

// The host compilers that a CUDA build on this machine would use, and their versions, without running them:
// from the names of symlinks (gcc -> gcc-12), or from the directory with their own files (lib/gcc/TRIPLE/12).
#pragma once

#include <string>
#include <vector>

#include "collect/stack.h"

namespace culprit::collect {

// The first executable file of that name in the directories of PATH; "" when there is none.
std::string FindOnPath(const Surroundings& around, const std::string& program);

// The first is the one that nvcc itself uses: -ccbin in NVCC_APPEND_FLAGS, then in NVCC_PREPEND_FLAGS (the
// last one given counts), then NVCC_CCBIN, otherwise gcc from PATH. Build systems also use the others:
// CUDAHOSTCXX (CMake), CC and CXX (torch extensions).
std::vector<snapshot::Compiler> HostCompilers(const Surroundings& around);

// The compiler at a path, or of a name on PATH; `source` says who chose it.
snapshot::Compiler CompilerAt(const Surroundings& around, const std::string& named,
                              const std::string& source);

}  // namespace culprit::collect

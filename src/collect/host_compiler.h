// The host compilers that a CUDA build on this machine would use, and their versions, without running them:
// from the names that links lead through (gcc -> gcc-12), or from the directory of their own files
// (lib/gcc/TRIPLE/12).
#pragma once

#include <string>
#include <vector>

#include "collect/stack.h"

namespace culprit::collect {

// The first executable file of that name in the directories of PATH; "" when there is none.
std::string FindOnPath(const Surroundings& around, const std::string& program);

// The first is the one that nvcc itself takes: NVCC_CCBIN, -ccbin of NVCC_PREPEND_FLAGS or NVCC_APPEND_FLAGS,
// otherwise gcc of PATH. The others are taken by build systems on top of it: CUDAHOSTCXX (CMake), CC and CXX
// (extensions of torch).
std::vector<snapshot::Compiler> HostCompilers(const Surroundings& around);

}  // namespace culprit::collect

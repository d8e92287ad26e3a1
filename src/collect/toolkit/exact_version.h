// Whole versions of the tools that build, for those who ask to the last number: "12.2.0" where a name says
// only gcc-12. Each is read from the tool's own files; nothing is run. "" = they do not say.
#pragma once

#include <string>

#include "system/system.h"

namespace culprit::collect {

// `program` is the real path of the binary. The build as `nvcc --version` prints it:
// "cuda_13.0.r13.0/compiler.36424714_0".
std::string NvccBuild(const system::System& system, const std::string& program);

// GCC compiles its own crtend.o, and signs it. `version` is what is known already: "12", or "".
std::string ExactGcc(const system::System& system, const std::string& program, const std::string& version);
// From lib/clang/VERSION; from the constants of the program or libclang-cpp where that is only "19".
std::string ExactClang(const system::System& system, const std::string& program);
// From share/cmake-3.25 and the constants of the program.
std::string ExactCmake(const system::System& system, const std::string& program);
// `version` is "3.11": from pyvenv.cfg or patchlevel.h below the prefix, or the constants of the interpreter
// and of its libpython.
std::string ExactPython(const system::System& system, const std::string& prefix,
                        const std::string& interpreter, const std::string& version);

}  // namespace culprit::collect

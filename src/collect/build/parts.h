// The pieces of which the collector of build folders is made. Each fills in what its files say; a missing
// file is not an error, a malformed one is named in `unread`.
#pragma once

#include <string>

#include "collect/build/flags.h"
#include "snapshot/stack_build.h"
#include "system/system.h"

namespace culprit::collect {

constexpr uint64_t kBuildFileLimit = uint64_t{64} << 20;

// Adds a setting unless the same value is there for that item.
void AddSetting(snapshot::BuildFolder& folder, snapshot::BuildSetting setting);
// What the flags of one call say; `name` says which ones they are.
void AddFlags(const system::System& system, const CompilerFlags& flags, const std::string& name,
              const std::string& source, snapshot::BuildFolder& folder);

// CMakeCache.txt and CMakeFiles/VERSION/CMakeCUDACompiler.cmake.
void ReadCmake(const system::System& system, snapshot::BuildFolder& folder);
// compile_commands.json: what is really passed to the compilers.
void ReadCompileCommands(const system::System& system, snapshot::BuildFolder& folder);
// build.ninja of CMake, Meson and torch's extensions; flags.make and link.txt of Makefiles. `path` is such a
// file.
void ReadBuildRules(const system::System& system, const std::string& path, snapshot::BuildFolder& folder);
// meson-info/intro-*.json.
void ReadMeson(const system::System& system, snapshot::BuildFolder& folder);
// The programs and libraries in the folder, the modules of Python, and build rules that lie deeper.
void WalkBuildFolder(const system::System& system, snapshot::BuildFolder& folder);

}  // namespace culprit::collect

// Questions about a build folder, and how to configure it again, that several rules share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rules/kit/python/package_facts.h"
#include "rules/rule.h"

namespace culprit::rules {

using snapshot::BuildFolder;
using snapshot::BuildItem;
using snapshot::BuildSetting;

// The build folders that were named; empty if none was.
const std::vector<BuildFolder>& Builds(const Scene& scene);
// The setting of that kind that counts; nullptr if there is none.
const BuildSetting* SettingOf(const BuildFolder& folder, BuildItem item);

// Whether a file or directory exists; unknown if it was not recorded or could not be read.
Presence PathPresence(const Scene& scene, const std::string& path);

// The release of the nvcc that the build uses, "12.4"; "" if it is unknown.
std::string CudaOfBuild(const BuildFolder& folder);

// One -DNAME=VALUE for CMake.
struct Definition {
  std::string name, value;
};
// Runs CMake again with these definitions. `fresh` forgets the cache first, as a change of the compiler
// needs. For another build system only `text` is said.
report::Fix ConfigureAgain(const BuildFolder& folder, std::string text,
                           const std::vector<Definition>& definitions, bool fresh = false);

// "CMAKE_CUDA_COMPILER=/usr/local/cuda/bin/nvcc", with its source.
report::Evidence AsEvidence(const BuildSetting& setting);

}  // namespace culprit::rules

// A directory that a build system works in.
#pragma once

#include <string>

#include "collect/stack.h"

namespace culprit::collect {

// Whether CMake, Meson, ninja or setuptools has built in this directory, by what they leave there.
bool IsBuildFolder(const system::System& system, const std::string& path);

// What the folders that were named say. Absent if none was.
snapshot::Fact<std::vector<snapshot::BuildFolder>> CollectBuilds(const Surroundings& around);

}  // namespace culprit::collect

// The programs of an image that use CUDA, wherever its author put them: how a container starts them (a
// script, a word of `docker run`) is often not written in it.
#pragma once

#include <string>
#include <vector>

#include "system/system.h"

namespace culprit::collect {

// Absolute paths of executables that have GPU code in them or are linked to a library of CUDA. Looked for in
// /usr/local/bin, in the working directory, and in every directory below / that is not the system's own; not
// in toolkits, in what NVIDIA installs below /opt, or among packages of Python. Near ones first, and no more
// than the limits of the source allow.
std::vector<std::string> GpuPrograms(const system::System& system);

}  // namespace culprit::collect

// Whether this is a container, and how that is known. Several collectors ask: inside one, processes and
// devices of the host are out of sight.
#pragma once

#include <string>

#include "collect/stack.h"

namespace culprit::collect {

struct Container {
  std::string runtime;  // "docker", "podman", "kubernetes", "singularity", "lxc", "container"; "" none seen
  std::string source;   // the file or variable that says so
};

Container FindContainer(const Surroundings& around);

// Linux inside Windows: its driver is Windows', behind /dev/dxg.
bool IsWsl(const Surroundings& around);

}  // namespace culprit::collect

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

// Is the kernel below this system in sight? An image has an empty /proc; the root of a running container
// (/proc/PID/root) and the tree of a support report carry it, and with it the driver, devices and GPUs.
bool ShowsItsKernel(const system::System& system);

}  // namespace culprit::collect

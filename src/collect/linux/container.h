// Whether this is a container, and how we know. Several collectors ask, since a container hides the processes
// and devices of the host.
#pragma once

#include <string>

#include "collect/stack.h"

namespace culprit::collect {

struct Container {
  std::string
      runtime;  // "docker", "podman", "kubernetes", "singularity", "lxc", "container", "image"; "" none seen
  std::string source;  // the file or variable that says so
};

Container FindContainer(const Surroundings& around);

// Linux inside Windows: it uses the Windows driver, through /dev/dxg.
bool IsWsl(const Surroundings& around);

// Is the kernel below this system in sight? An image has an empty /proc; the root of a running container
// (/proc/PID/root) and the tree of a support report carry it, and with it the driver, devices and GPUs.
bool ShowsItsKernel(const system::System& system);

// Does it have modules of a kernel of its own? The disk of a machine does, an image that starts as a
// container does not.
bool BringsKernel(const system::System& system);

}  // namespace culprit::collect

// What the container runtime adds to an image when it starts on a host with an NVIDIA driver, as far as
// loading depends on it: whose libcuda.so.1 programs get. Pure, and the only place that knows.
//
// NVIDIA's toolkit mounts the host's driver libraries into the library directory of the image's distribution
// (libnvidia-container, src/nvc_container.c and src/nvc_mount.c; CDI: where the host has them), and runs
// ldconfig (ldconfig.h). The cache then has the host's libraries, except that
//   - the image's cuda-compat libraries come first if they are newer than the host's driver. Since 1.17.5 the
//     hook enable-cuda-compat (CDI) and `nvidia-container-cli --cuda-compat-mode=ldconfig` (legacy) put their
//     directory in front; 1.20 reads in libcuda which driver branches it is for, earlier ones compare major
//     versions. No release asks whether the GPU supports forward compatibility.
//   - ldconfig prefers the highest version in one directory: driver libraries of a newer driver that were
//   left
//     in the image win over the host's, and so does a plain file libcuda.so.1, which ldconfig does not
//     replace.
//   - a copy in another directory of /etc/ld.so.conf comes before the directories of the system.
// The versions of hosts differ, what is given mostly does not: one simulated load serves many hosts.
#pragma once

#include <optional>
#include <string>

#include "snapshot/file_view.h"
#include "snapshot/snapshot.h"

namespace culprit::container {

// Whether these are files of an image, whose host starts it as NVIDIA's toolkit does. `before` is the
// snapshot without an assumed host.
bool IsStartedByToolkit(const snapshot::Snapshot& before);

// The libcuda of cuda-compat that the toolkit puts in front of a driver of this version; nullptr if none.
const snapshot::DriverLibrary* CompatInFront(const snapshot::Snapshot& image, snapshot::FileView& view,
                                             const std::string& driver);

// Adds to the assumed driver of `snapshot` what it gives: Driver::given.
void Give(const snapshot::Snapshot& before, snapshot::FileView& view, snapshot::Snapshot& snapshot);

// Equal for hosts on which programs load the same files.
std::string LoadsKey(const snapshot::Snapshot& snapshot);

}  // namespace culprit::container

// A machine on which a wheel stands as a directory of its own name, with what pip would install from it: the
// files of /x/torch-2.6.0-cp311-cp311-linux_x86_64.whl appear below that path. All else is the machine
// itself. So a wheel is checked by the same collectors and models as an installed environment, and nothing is
// unpacked.
#pragma once

#include <memory>
#include <string>

#include "base/error.h"
#include "system/system.h"

namespace culprit::collect {

// `path` is the absolute path of the wheel on `machine`. A file that is no archive, or no wheel (no
// .dist-info in it), is an error.
base::Result<std::unique_ptr<system::System>> WheelSystem(std::shared_ptr<const system::System> machine,
                                                          const std::string& path);

}  // namespace culprit::collect

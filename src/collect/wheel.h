// A machine on which a wheel looks like a directory with what pip would install from it: the files of
// /x/torch-2.6.0-cp311-cp311-linux_x86_64.whl are below that path. Everything else is the machine itself. So
// the same collectors and models check a wheel and an installed environment, and nothing is unpacked.
#pragma once

#include <memory>
#include <string>

#include "base/error.h"
#include "system/system.h"

namespace culprit::collect {

// `path` is the absolute path of the wheel on `machine`. It is an error if the file is not a zip archive, or
// not a wheel (it has no .dist-info).
base::Result<std::unique_ptr<system::System>> WheelSystem(std::shared_ptr<const system::System> machine,
                                                          const std::string& path);

}  // namespace culprit::collect

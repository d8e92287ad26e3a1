// Symlinks of the driver's libraries that point to the wrong driver while the right one is also installed.
#pragma once

#include <string>
#include <string_view>

#include "report/finding.h"
#include "rules/rule.h"

namespace culprit::rules {

// The copy of a library ("libcuda.so") in a driver version; nullptr if there is none.
const snapshot::DriverLibrary* CopyOfVersion(const snapshot::Driver& driver, std::string_view family,
                                             std::string_view version);

// A dangling libcuda.so.1 on the search path, if no other is found; nullptr otherwise.
const snapshot::DriverLibrary* DanglingLibcuda(const Scene& scene, const snapshot::Driver& driver);

// Whether Debian's alternatives manage this name: they switch between the libraries of drivers that are
// installed side by side (package nvidia-alternative).
bool IsAlternative(const Scene& scene, const std::string& path);

// Makes programs load `right` instead of the file `wrong`, which they find as `path`.
report::Fix PointToRightDriver(const Scene& scene, const std::string& path, const std::string& wrong,
                               const snapshot::DriverLibrary& right);

}  // namespace culprit::rules

// Names of the driver's libraries that lead to the wrong driver while the right one is on the machine as
// well.
#pragma once

#include <string>
#include <string_view>

#include "report/finding.h"
#include "rules/rule.h"

namespace culprit::rules {

// The copy of a library ("libcuda.so") that belongs to a version of the driver; nullptr when there is none.
const snapshot::DriverLibrary* CopyOfVersion(const snapshot::Driver& driver, std::string_view family,
                                             std::string_view version);

// A libcuda.so.1 that leads nowhere and stands where programs of this shell look for it, while none is found;
// nullptr otherwise.
const snapshot::DriverLibrary* DanglingLibcuda(const Scene& scene, const snapshot::Driver& driver);

// Whether Debian's alternatives decide what stands under this name: they switch between the libraries of
// several drivers that are installed side by side (package nvidia-alternative).
bool IsAlternative(const Scene& scene, const std::string& path);

// Has programs get `right` instead of the file `wrong` that they find as `path`.
report::Fix LeadToTheRight(const Scene& scene, const std::string& path, const std::string& wrong,
                           const snapshot::DriverLibrary& right);

}  // namespace culprit::rules

// Which version pip would install.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "change/whatif/environment.h"

namespace culprit::whatif {

// Versions of a package that have a wheel for this environment, as far as the tables know; oldest first.
std::vector<std::string> KnownVersions(const std::string& package, const Environment& environment);

// `wanted`: "" = the newest that is known and that nothing installed forbids; a version stands for itself,
// known or not; specifiers ("==9.1.*", "<10,>=9.3") = the newest that meets them. Where no version is known,
// the lowest that the specifiers name.
base::Result<std::string> ChooseVersion(const std::string& package, const std::string& wanted,
                                        const Environment& environment,
                                        const std::vector<InstalledPackage>& installed);

// Whether a version, with or without "+cu124", meets specifiers. What cannot be read counts as met: nothing
// is changed for it.
bool MeetsNeed(const std::string& version, const std::string& specifiers);

}  // namespace culprit::whatif

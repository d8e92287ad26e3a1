// Which package a file of CUDA comes from: of a Python environment, or of the distribution.
#pragma once

#include <string>
#include <string_view>

#include "rules/rule.h"

namespace culprit::rules {

// The installed package of an environment that brings the library at `path`; nullptr when none is known.
const snapshot::PythonPackage* PackageOf(const snapshot::PythonEnvironment& environment,
                                         const std::string& path);

// The package of this system that brings a library which is no part of CUDA: "zlib1g"; "" = not known.
std::string SystemPackage(const Scene& scene, std::string_view library);

// "sudo apt-get install libgomp1" for a library of the system that frameworks ask for; "" when it is not in
// the table.
std::string InstallOfSystem(const Scene& scene, std::string_view library);

}  // namespace culprit::rules

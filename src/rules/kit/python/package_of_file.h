// Which package a library comes from: a package of a Python environment, or of the distribution.
#pragma once

#include <string>
#include <string_view>

#include "rules/rule.h"

namespace culprit::rules {

// The installed package of an environment that provides the library at `path`; nullptr if none is known.
const snapshot::PythonPackage* PackageOf(const snapshot::PythonEnvironment& environment,
                                         const std::string& path);

// The system package that provides a library outside CUDA: "zlib1g"; "" = unknown.
std::string SystemPackage(const Scene& scene, std::string_view library);

// "sudo apt-get install libgomp1" for a system library that frameworks need; "" if it is not in the table.
Command InstallOfSystem(const Scene& scene, std::string_view library);

}  // namespace culprit::rules

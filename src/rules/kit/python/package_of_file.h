// Which package a library comes from: a package of a Python environment, or of the distribution.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "rules/rule.h"

namespace culprit::rules {

// The installed package of an environment that provides the library at `path`; nullptr if none is known.
const snapshot::PythonPackage* PackageOf(const snapshot::PythonEnvironment& environment,
                                         const std::string& path);

// The site-packages directory that a path lies in; "" if in none.
std::string SiteOf(const std::string& path);
// The package that provides a file in the site-packages of an environment that nobody asked about, by the
// names of the records beside it.
struct SitePackage {
  std::string python;  // the interpreter of that environment
  std::string name, version;
};
std::optional<SitePackage> PackageInSite(const Scene& scene, const std::string& path);
// The one of `names` that belongs into the same site-packages: for the CUDA of the others there.
std::optional<SitePackage> PackageForSite(const Scene& scene, const std::string& path,
                                          std::span<const std::string_view> names);

// The system package that provides a library outside CUDA: "zlib1g"; "" = unknown.
std::string SystemPackage(const Scene& scene, std::string_view library);

// "sudo apt-get install libgomp1" for a system library that frameworks need; "" if it is not in the table.
Command InstallOfSystem(const Scene& scene, std::string_view library);

}  // namespace culprit::rules

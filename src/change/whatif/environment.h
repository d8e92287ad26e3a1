// A Python environment of the machine: where its packages lie, which are there, what they ask of others.
// collect/ reads the same files for the rules; this reads only what installing and removing needs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/python/package_name.h"
#include "system/system.h"

namespace culprit::whatif {

struct Environment {
  std::string prefix;
  std::string site;                 // where pip would install
  std::vector<std::string> places;  // all directories of packages that it has; `site` is one of them
  std::string python;               // "3.11"; "" not known
  std::string cpu;                  // "x86_64", "aarch64"
  bool windows = false;

  std::string PythonTag() const;  // "311"
  // "cpython-311-x86_64-linux-gnu.so", "cp311-win_amd64.pyd": how an extension module ends.
  std::string ModuleEnding() const;
  std::string Platform() const;  // "linux-x86_64", as the table of wheels calls it
};
base::Result<Environment> FindEnvironment(const system::System& machine, const std::string& prefix);

using base::NormalName;

struct InstalledPackage {
  std::string name;                       // normalised
  std::string version;                    // "2.5.1+cu124"
  std::string record;                     // its dist-info, or its file in conda-meta
  std::string place;                      // from which the paths in RECORD count
  std::vector<std::string> requirements;  // Requires-Dist, as written
};
std::vector<InstalledPackage> PackagesOf(const system::System& machine, const Environment& environment);

// What a package's record says belongs to it, whether it is there or not.
// Empty where it has no list.
std::vector<std::string> FilesOf(const system::System& machine, const Environment& environment,
                                 const InstalledPackage& package);

// "nvidia-cudnn-cu12 (==9.1.0.70) ; platform_system == \"Linux\"" -> name, specifiers, marker.
struct Need {
  std::string name, specifiers, marker;
  std::vector<std::string> extras;
};
Need ParseNeed(std::string_view text);
// Whether its marker lets the need count on this environment. One that asks for an extra does not count; one
// that cannot be decided does.
bool Counts(const Need& need, const Environment& environment);

}  // namespace culprit::whatif

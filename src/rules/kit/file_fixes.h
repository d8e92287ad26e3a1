// Fixes that change files: repair a symlink, reinstall a library. The facts about the machine decide which
// file, which package, and whether sudo is needed.
#pragma once

#include <optional>
#include <string>

#include "rules/rule.h"

namespace culprit::rules {

// Where a file is: resolves symlinks in the directories above it, keeps its own name.
std::string PlaceOf(const Scene& scene, const std::string& path);
// "sudo " for files that only root can change, "" inside a Python environment or a home.
Command Sudo(const Scene& scene, const std::string& path);
// The system's package manager; kNone also if the snapshot does not say.
using snapshot::PackageManager;
PackageManager PackageManagerOf(const Scene& scene);
// Whether ldconfig searches the directory: one of the loader's default directories, or one in
// ld.so.conf or ld.so.cache.
bool IsKnownToLdconfig(const Scene& scene, const std::string& directory);

// Where system packages install libraries; "" on Windows.
std::string SystemDirectory(const Scene& scene);

// The library that the symlink `path` should point to, as ldconfig would choose it: in the same directory,
// not damaged, with that soname, the newest (or `version`, if given). For a name without a number ("libx.so")
// the matching soname. "" if there is none.
std::string LinkTarget(const Scene& scene, const std::string& path, const std::string& version = "");
// That library, as the evidence for a missing symlink.
report::Evidence WithoutLink(const Scene& scene, const std::string& path);
report::Fix SetLink(const Scene& scene, const std::string& path, const std::string& target);
// The same for a file that is too small for a library: archives that were unpacked on Windows or a share
// leave a text where a symlink was. "" if it is none of these.
std::string LinkInPlaceOf(const Scene& scene, const std::string& path);

// Reinstalls the Python package that owns the file; nullopt if no owner is known.
std::optional<report::Fix> ReinstallKeeper(const Scene& scene, const std::string& path);

// Reinstalls the library at `path` (a file, not a symlink) from wherever it came: a Python package, a package
// of the distribution, or a manual copy. `soname` is the name that programs request.
report::Fix InstallAgain(const Scene& scene, const std::string& path, const std::string& soname);

// Reinstalls the library that `path` resolves to.
report::Fix ReplaceDamaged(const Scene& scene, const std::string& path, const std::string& soname);

// Repairs a dangling symlink or a symlink loop: points it to its library if that exists, otherwise reinstalls
// the library.
report::Fix RepairLink(const Scene& scene, const std::string& path, const std::string& version = "");

}  // namespace culprit::rules

// Fixes that change files: a link set right, a library installed again. What is known of the machine decides
// which file, which package and whose rights.
#pragma once

#include <optional>
#include <string>

#include "rules/rule.h"

namespace culprit::rules {

// Where a file lies: links in the directories above it resolved, its own name kept.
std::string PlaceOf(const Scene& scene, const std::string& path);
// "sudo " for what only root may change, "" for what belongs to a Python environment or a home.
std::string Sudo(const Scene& scene, const std::string& path);
// What installs packages of the system here; kUnknown also where the snapshot does not tell.
enum class PackageManager { kUnknown, kDpkg, kRpm };
PackageManager PackageManagerOf(const Scene& scene);
// Whether ldconfig looks into the directory: one of the loader's own, or of ld.so.cache.
bool IsKnownToLdconfig(const Scene& scene, const std::string& directory);

// Where the system's packages put libraries; "" on Windows.
std::string SystemDirectory(const Scene& scene);

// The library beside the link `path` that carries the name of the link, as ldconfig would choose it: sound,
// of that soname, the newest; of `version` alone where one is given. For a name without number ("libx.so")
// the soname that it stands for. "" when there is none.
std::string LinkTarget(const Scene& scene, const std::string& path, const std::string& version = "");
report::Fix SetLink(const Scene& scene, const std::string& path, const std::string& target);

// The package of a Python environment that brought the file, again; nothing when none is known to have.
std::optional<report::Fix> ReinstallKeeper(const Scene& scene, const std::string& path);

// The library at `path` (a file, no link to it) again, sound, from whatever brought it: the package of a
// Python environment, that of the distribution, or somebody's hands. `soname` is what it is asked for by.
report::Fix InstallAgain(const Scene& scene, const std::string& path, const std::string& soname);

// The library that stands at the end of `path` again, sound.
report::Fix ReplaceDamaged(const Scene& scene, const std::string& path, const std::string& soname);

// A link to a library that leads nowhere or in a circle: set right where its library is there, otherwise the
// library again.
report::Fix RepairLink(const Scene& scene, const std::string& path, const std::string& version = "");

}  // namespace culprit::rules

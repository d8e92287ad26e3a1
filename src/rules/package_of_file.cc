#include "rules/package_of_file.h"

#include <algorithm>

#include "base/text.h"
#include "knowledge/libraries.h"
#include "rules/file_fixes.h"

namespace culprit::rules {

const snapshot::PythonPackage* PackageOf(const snapshot::PythonEnvironment& environment,
                                         const std::string& path) {
  const auto* library = knowledge::FindLibrary(base::BaseName(path));
  if (library == nullptr || !base::CleanPath(path).starts_with(environment.prefix + "/")) return nullptr;
  for (const std::string_view name : library->packages) {
    std::string package(name);
    std::ranges::replace(package, '_', '-');
    if (const auto* found = environment.Find(package)) return found;
  }
  return nullptr;
}

std::string InstallOfSystem(const Scene& scene, std::string_view library) {
  struct Package {
    std::string_view library, debian, fedora;
  };
  static constexpr Package kPackages[] = {{"libz.so.1", "zlib1g", "zlib"},
                                          {"libgomp.so.1", "libgomp1", "libgomp"},
                                          {"libstdc++.so.6", "libstdc++6", "libstdc++"},
                                          {"libnuma.so.1", "libnuma1", "numactl-libs"},
                                          {"libibverbs.so.1", "libibverbs1", "libibverbs"},
                                          {"librdmacm.so.1", "librdmacm1", "librdmacm"}};
  for (const Package& package : kPackages) {
    if (package.library != library) continue;
    const bool debian = PackageManagerOf(scene) == PackageManager::kDpkg;
    return debian ? "sudo apt-get install " + std::string(package.debian)
                  : "sudo dnf install " + std::string(package.fedora);
  }
  return "";
}

}  // namespace culprit::rules

#include "rules/kit/python/package_of_file.h"

#include <algorithm>

#include "base/text.h"
#include "knowledge/libraries.h"
#include "rules/kit/file_fixes.h"

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

std::string SystemPackage(const Scene& scene, std::string_view library) {
  struct Row {
    std::string_view library, debian, fedora;
  };
  static constexpr Row kRows[] = {{"libz.so.1", "zlib1g", "zlib"},
                                  {"libgomp.so.1", "libgomp1", "libgomp"},
                                  {"libstdc++.so.6", "libstdc++6", "libstdc++"},
                                  {"libnuma.so.1", "libnuma1", "numactl-libs"},
                                  {"libibverbs.so.1", "libibverbs1", "libibverbs"},
                                  {"librdmacm.so.1", "librdmacm1", "librdmacm"}};
  const bool debian = PackageManagerOf(scene) == PackageManager::kDpkg;
  for (const Row& row : kRows) {
    if (row.library == library) return std::string(debian ? row.debian : row.fedora);
  }
  return "";
}

Command InstallOfSystem(const Scene& scene, std::string_view library) {
  const std::string package = SystemPackage(scene, library);
  if (package.empty()) return "";
  return (PackageManagerOf(scene) == PackageManager::kDpkg ? Command("sudo apt-get install ")
                                                           : "sudo dnf install ") +
         Plain(package);
}

}  // namespace culprit::rules

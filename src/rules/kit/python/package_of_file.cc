#include "rules/kit/python/package_of_file.h"

#include <algorithm>

#include "base/python/package_name.h"
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

std::string SiteOf(const std::string& path) {
  for (const std::string_view name : {"/site-packages/", "/dist-packages/"}) {
    if (const size_t at = path.find(name); at != path.npos) return path.substr(0, at + name.size() - 1);
  }
  return "";
}

namespace {

// Name and version in the names of its records: torch-2.7.1.dist-info.
std::vector<SitePackage> RecordsOf(const Scene& scene, const std::string& site) {
  constexpr std::string_view kEnding = ".dist-info";
  // lib/python3.11/site-packages of the environment
  const std::string prefix(base::DirName(base::DirName(base::DirName(site))));
  const std::string python = base::JoinPath(prefix, "bin/python3");
  std::vector<SitePackage> records;
  if (scene.OnWindows() || scene.view.Open(python).error != base::PathError::kNone) return records;
  for (const auto& item : scene.view.List(site).value_or(std::vector<snapshot::DirectoryItem>())) {
    const size_t dash = item.name.find('-');
    if (!item.name.ends_with(kEnding) || dash == item.name.npos) continue;
    records.push_back({python, base::NormalName(item.name.substr(0, dash)),
                       item.name.substr(dash + 1, item.name.size() - kEnding.size() - dash - 1)});
  }
  return records;
}

}  // namespace

std::optional<SitePackage> PackageInSite(const Scene& scene, const std::string& path) {
  const std::string site = SiteOf(path);
  if (site.empty()) return std::nullopt;
  const std::vector<std::string> folders = base::Split(path.substr(site.size() + 1), '/');
  const auto* library = knowledge::FindLibrary(base::BaseName(path));
  for (SitePackage& record : RecordsOf(scene, site)) {
    const bool of_library =
        library != nullptr && std::ranges::any_of(library->packages, [&](std::string_view package) {
          return base::NormalName(package) == record.name;
        });
    if (of_library || base::NormalName(folders.front()) == record.name) return std::move(record);
  }
  return std::nullopt;
}

std::optional<SitePackage> PackageForSite(const Scene& scene, const std::string& path,
                                          std::span<const std::string_view> names) {
  const std::string site = SiteOf(path);
  if (site.empty()) return std::nullopt;
  const auto cuda = [](const std::string& name) {
    const size_t at = name.rfind("-cu1");
    return at == name.npos ? "" : name.substr(at);
  };
  for (const SitePackage& record : RecordsOf(scene, site)) {
    for (const std::string_view one : names) {
      const std::string name = base::NormalName(one);
      if (record.name.starts_with("nvidia-") && cuda(record.name) == cuda(name))
        return SitePackage{record.python, name, ""};
    }
  }
  return std::nullopt;
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

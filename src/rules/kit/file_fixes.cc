#include "rules/kit/file_fixes.h"

#include <algorithm>
#include <optional>

#include "base/python/package_name.h"
#include "base/text.h"
#include "base/version.h"
#include "knowledge/libraries.h"
#include "knowledge/packages/release.h"
#include "rules/kit/cudnn/cudnn_facts.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/python/package_changes.h"
#include "rules/kit/python/package_facts.h"
#include "rules/kit/python/package_of_file.h"

namespace culprit::rules {
namespace {

using snapshot::PythonEnvironment;
using snapshot::PythonPackage;

// The environment whose site-packages contain the file.
const PythonEnvironment* KeeperOf(const Scene& scene, const std::string& path) {
  if (!scene.stack().environments) return nullptr;
  for (const PythonEnvironment& environment : *scene.stack().environments) {
    for (const std::string& folder : environment.site_packages) {
      if (path.starts_with(folder + "/") || path.starts_with(scene.view.RealPath(folder) + "/"))
        return &environment;
    }
  }
  return nullptr;
}

// What auditwheel puts beside a package belongs to it: ctranslate2.libs/libctranslate2-42c542ff.so.4.
const PythonPackage* OwnerOfLibs(const PythonEnvironment& environment, const std::string& path) {
  const std::string folder(base::BaseName(base::DirName(path)));
  if (!folder.ends_with(".libs")) return nullptr;
  return environment.Find(base::NormalName(folder.substr(0, folder.size() - 5)));
}

// The package of that environment that owns the file: by its RECORD if that lists the file as damaged, by our
// tables, or by the framework's folder.
const PythonPackage* BroughtBy(const PythonEnvironment& environment, const std::string& path) {
  for (const PythonPackage& package : environment.packages) {
    if (std::ranges::any_of(package.damaged,
                            [&](const snapshot::DamagedFile& file) { return file.path == path; }))
      return &package;
  }
  if (const PythonPackage* owner = OwnerOfLibs(environment, path)) return owner;
  if (const knowledge::Library* library = knowledge::FindLibrary(base::BaseName(path))) {
    for (const std::string_view package : library->packages) {
      std::string name(package);
      std::ranges::replace(name, '_', '-');
      const PythonPackage* found = environment.Find(name);
      if (found != nullptr && path.find("/nvidia/") != std::string::npos) return found;
    }
  }
  for (const snapshot::Framework& framework : environment.frameworks) {
    if (path.starts_with(framework.directory + "/")) return environment.Find(framework.package);
  }
  return nullptr;
}

bool IsSound(const snapshot::FileFacts& facts) {
  return facts.error == base::PathError::kNone && facts.elf != nullptr &&
         facts.elf->problem == binfmt::ElfProblem::kNone && facts.elf->complete();
}

}  // namespace

std::string PlaceOf(const Scene& scene, const std::string& path) {
  return base::JoinPath(scene.view.RealPath(std::string(base::DirName(path))), base::BaseName(path));
}

Command Sudo(const Scene& scene, const std::string& path) {
  const std::string home(scene.Variable("HOME"));
  const bool own = scene.OnWindows() || path.starts_with("/home/") || path.starts_with("/root/") ||
                   (home.size() > 1 && path.starts_with(home + "/"));
  if (own) return "";
  const PythonEnvironment* environment = KeeperOf(scene, path);
  return environment == nullptr || environment->kind == snapshot::EnvironmentKind::kSystem ? Command("sudo ")
                                                                                           : "";
}

PackageManager PackageManagerOf(const Scene& scene) {
  if (scene.OnWindows()) return PackageManager::kNone;
  const std::string name = scene.stack().context ? scene.stack().context->distribution : "";
  const auto named = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words,
                               [&](std::string_view word) { return name.find(word) != std::string::npos; });
  };
  if (named({"Debian", "Ubuntu", "Mint"}) ||
      scene.view.Open("/var/lib/dpkg/status").error == base::PathError::kNone)
    return PackageManager::kDpkg;
  return named({"Fedora", "Red Hat", "CentOS", "Rocky", "Alma", "Amazon Linux", "Oracle Linux"})
             ? PackageManager::kRpm
             : PackageManager::kNone;
}

bool IsKnownToLdconfig(const Scene& scene, const std::string& directory) {
  const std::string real = scene.view.RealPath(directory);
  const auto same = [&](std::string_view other) {
    const std::string clean = base::CleanPath(other);
    return clean == directory || scene.view.RealPath(clean) == real;
  };
  for (const snapshot::LoaderFacts& loader : scene.snapshot.loaders) {
    for (std::string_view own : loader.system_dirs) {
      if (own.size() > 1 && own.ends_with('/')) own.remove_suffix(1);
      if (same(own)) return true;
    }
  }
  if (scene.snapshot.ld_so_conf && std::ranges::any_of(*scene.snapshot.ld_so_conf, same)) return true;
  return scene.snapshot.ld_cache &&
         std::ranges::any_of(scene.snapshot.ld_cache->entries,
                             [&](const auto& entry) { return same(base::DirName(entry.path)); });
}

std::string SystemDirectory(const Scene& scene) {
  for (const snapshot::LoaderFacts& loader : scene.snapshot.loaders) {
    if (loader.flavor != snapshot::LoaderFlavor::kGlibc) continue;
    for (std::string_view own : loader.system_dirs) {
      if (own.size() > 1 && own.ends_with('/')) own.remove_suffix(1);
      const std::string directory(own);
      if (scene.view.Directory(directory) == base::PathError::kNone) return scene.view.RealPath(directory);
    }
  }
  return scene.OnWindows() ? "" : "/usr/lib";
}

std::string LinkTarget(const Scene& scene, const std::string& path, const std::string& version) {
  const std::string name(base::BaseName(path));
  const std::string directory = scene.view.RealPath(std::string(base::DirName(path)));
  const auto items = scene.view.List(directory);
  if (!items) return "";
  const bool bare = name.ends_with(".so");
  std::string best;
  std::optional<base::Version> best_number;
  for (const snapshot::DirectoryItem& item : *items) {
    if (!item.name.starts_with(name + ".")) continue;
    const auto number = base::Version::Parse(item.name.substr(name.size() + 1));
    const std::string candidate = base::JoinPath(directory, item.name);
    const snapshot::FileFacts& facts = scene.view.Open(candidate);
    if (!number || !IsSound(facts)) continue;
    // "libx.so" must point to a soname, a soname to the file that has it.
    if (facts.elf->soname.value_or("") != (bare ? item.name : name)) continue;
    if (!version.empty()) {
      const auto fact = scene.view.Version(candidate);
      if (fact && !fact->version.starts_with(version) && !version.starts_with(fact->version)) continue;
    }
    if (best_number && !(*best_number < *number)) continue;
    best = item.name;
    best_number = number;
  }
  return best;
}

report::Evidence WithoutLink(const Scene& scene, const std::string& path) {
  const std::string name = LinkTarget(scene, path);
  return {name + " is in that directory without a symlink to it",
          base::JoinPath(scene.view.RealPath(std::string(base::DirName(path))), name)};
}

report::Fix SetLink(const Scene& scene, const std::string& path, const std::string& target) {
  const std::string place = PlaceOf(scene, path);
  report::Fix fix{
      .text = "point the symlink to " + target + ", which is in the same directory and has this soname",
      .commands = {Sudo(scene, place) + "ln -sfn " + Word(target) + " " + Word(path)},
      .risk = report::Risk::kLow,
      .changes = {report::PutLink{place, target}}};
  // ld.so.cache does not list symlinks that were broken when ldconfig ran.
  if (!base::BaseName(path).ends_with(".so") && IsKnownToLdconfig(scene, std::string(base::DirName(place)))) {
    fix.commands.push_back("sudo ldconfig");
    fix.changes.push_back(report::RefreshCache{});
  }
  return fix;
}

std::optional<report::Fix> ReinstallKeeper(const Scene& scene, const std::string& path) {
  const PythonEnvironment* environment = KeeperOf(scene, path);
  const PythonPackage* package = environment == nullptr ? nullptr : BroughtBy(*environment, path);
  if (package == nullptr) return std::nullopt;
  report::Fix fix = ReinstallPackage(*environment, package->name, package->version,
                                     "reinstall the same version of the package that provides it");
  // Our tables do not list the files of other packages, but RECORD names this one.
  const bool known = package->name.starts_with("nvidia-") ||
                     std::ranges::any_of(environment->frameworks, [&](const snapshot::Framework& framework) {
                       return framework.package == package->name;
                     });
  if (known) return fix;
  report::PutLibrary again{.path = path};
  if (!scene.OnWindows()) again.soname = base::BaseName(path);
  fix.changes = {std::move(again)};
  return fix;
}

namespace {

// "12.3" of the toolkit in which a file lies; "" if it lies in none.
std::string CudaOfToolkitWith(const Scene& scene, const std::string& path) {
  if (!scene.stack().toolkits) return "";
  for (const snapshot::Toolkit& toolkit : scene.stack().toolkits->copies) {
    const std::string root = scene.view.RealPath(toolkit.root);
    const auto version = base::Version::Parse(toolkit.version);
    if (path.starts_with(root + "/") && version) return knowledge::MinorOf(*version).ToString();
  }
  return "";
}

}  // namespace

report::Fix InstallAgain(const Scene& scene, const std::string& path, const std::string& soname) {
  const std::string real = PlaceOf(scene, path);
  if (auto fix = ReinstallKeeper(scene, real)) return *fix;
  report::PutLibrary again{.path = real};
  if (!scene.OnWindows()) again.soname = soname;
  const snapshot::CudnnCopy* copy = CopyOf(scene, path);
  if (copy != nullptr) again.version = copy->version;
  if (const auto package = PackageInSite(scene, real)) {
    return {
        .text = "reinstall the same version of the package that provides it",
        .commands = {Word(package->python) + " -m pip install --force-reinstall --no-deps --no-cache-dir " +
                     ForPip({package->name, package->version})},
        .risk = report::Risk::kLow,
        .changes = {again}};
  }
  const std::string cuda = CudaOfToolkitWith(scene, real);
  report::Fix fix{.text = "reinstall the package that provides " + real + "; if none does, " +
                          (cuda.empty() ? "get the file again from where you got it"
                                        : "install CUDA " + cuda + " again in the same place"),
                  .commands = {},
                  .risk = report::Risk::kLow,
                  .changes = {again}};
  switch (PackageManagerOf(scene)) {
    case PackageManager::kDpkg:
      fix.commands = {"sudo apt-get install --reinstall \"$(dpkg -S " + Word(real) + " | cut -d: -f1)\""};
      break;
    case PackageManager::kRpm:
      fix.commands = {"sudo dnf reinstall \"$(rpm -qf " + Word(real) + ")\""};
      break;
    default:
      fix.commands = {"culprit why " + Word(soname)};
  }
  return fix;
}

std::string LinkInPlaceOf(const Scene& scene, const std::string& path) {
  constexpr uint64_t kLongestPath = 4096;
  const snapshot::FileFacts& file = scene.view.Open(path);
  return scene.OnWindows() || file.size == 0 || file.size >= kLongestPath ? "" : LinkTarget(scene, path);
}

report::Fix ReplaceDamaged(const Scene& scene, const std::string& path, const std::string& soname) {
  if (const std::string target = LinkInPlaceOf(scene, path); !target.empty())
    return SetLink(scene, path, target);
  const std::string real = scene.view.RealPath(path);
  return InstallAgain(scene, real == path ? PlaceOf(scene, path) : real, soname);
}

report::Fix RepairLink(const Scene& scene, const std::string& path, const std::string& version) {
  const std::string target = LinkTarget(scene, path, version);
  if (!target.empty()) return SetLink(scene, path, target);
  report::Fix fix = InstallAgain(scene, path, std::string(base::BaseName(path)));
  if (IsKnownToLdconfig(scene, std::string(base::DirName(path)))) {
    fix.commands.push_back("sudo ldconfig");
    fix.changes.push_back(report::RefreshCache{});
  }
  fix.text += "; do not symlink to a different version";
  return fix;
}

}  // namespace culprit::rules

#include "container/given.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/version.h"
#include "binfmt/cache/ld_so_cache.h"
#include "binfmt/elf/constants.h"
#include "knowledge/packages/driver_capabilities.h"

namespace culprit::container {
namespace {

using snapshot::DriverLibrary;
using snapshot::DriverLibraryKind;
using snapshot::GivenFrom;
using snapshot::GivenLibrary;
using snapshot::Snapshot;

constexpr const char* kCompat = "/usr/local/cuda/compat";

// Where the distribution of the image has its libraries, by its loader; "" without a 64-bit glibc.
std::string LibraryDirectory(const Snapshot& image) {
  for (const snapshot::LoaderFacts& loader : image.loaders) {
    if (loader.flavor != snapshot::LoaderFlavor::kGlibc || loader.bits != 64) continue;
    const std::string triplet =
        loader.machine == EM_AARCH64 ? "/usr/lib/aarch64-linux-gnu" : "/usr/lib/x86_64-linux-gnu";
    const bool multiarch = std::ranges::find(loader.system_dirs, triplet + "/") != loader.system_dirs.end();
    return multiarch ? triplet : "/usr/lib64";
  }
  return "";
}

// What the image's own cache has under the names of the driver, for its usual programs.
std::map<std::string, std::string, std::less<>> Cached(const Snapshot& image) {
  std::map<std::string, std::string, std::less<>> cached;
  if (!image.ld_cache) return cached;
  const auto libraries = knowledge::CapabilityLibraries();
  for (const binfmt::LdCacheEntry& entry : image.ld_cache->entries) {
    constexpr int32_t kX8664 = 0x0303, kArm64 = 0x0a03;
    const bool usual = entry.flags == kX8664 || entry.flags == kArm64;
    if (usual &&
        std::ranges::find(libraries, entry.name, &knowledge::CapabilityLibrary::name) != libraries.end())
      cached.emplace(entry.name, entry.path);
  }
  return cached;
}

// "libcuda.so.1" -> "libcuda.so.": the version of the driver follows.
std::string FileOfDriver(std::string_view name, const std::string& driver) {
  return std::string(name.substr(0, name.find(".so") + 3)) + "." + driver;
}

// A regular file with that name, even an empty one: ldconfig does not replace it by a symlink.
bool IsPlainFile(snapshot::FileView& view, const std::string& path, std::string_view name) {
  return view.Open(path).error == base::PathError::kNone && base::BaseName(view.RealPath(path)) == name;
}

// Whether ldconfig picks the image's file for that name rather than the host's in the same directory.
bool BeatsHost(snapshot::FileView& view, const std::string& path, std::string_view name,
               const std::string& driver) {
  if (view.Open(path).error != base::PathError::kNone) return false;
  if (IsPlainFile(view, path, name)) return true;
  const std::string file(base::BaseName(view.RealPath(path)));
  return binfmt::LdCacheCompare(file, FileOfDriver(name, driver)) > 0;
}

// `cached` is what the image has under that name.
GivenLibrary GivenAs(snapshot::FileView& view, std::string_view name, const std::string& cached,
                     const std::string& directory, const std::string& driver) {
  const bool beside = view.RealPath(std::string(base::DirName(cached))) == view.RealPath(directory);
  if (beside && !BeatsHost(view, cached, name, driver))
    return {.name = std::string(name), .path = base::JoinPath(directory, name)};
  return {.name = std::string(name), .path = cached, .from = GivenFrom::kImage};
}

}  // namespace

bool IsStartedByToolkit(const Snapshot& before) {
  const auto& driver = before.stack.driver;
  const auto& context = before.stack.context;
  return driver && driver->kernel_version.state == snapshot::FactState::kNotApplicable && context &&
         !context->container.empty() && context->container != "singularity" && context->jetson.empty();
}

const DriverLibrary* CompatInFront(const Snapshot& image, snapshot::FileView& view,
                                   const std::string& driver) {
  const auto host = base::Version::Parse(driver);
  if (!host || !image.stack.driver) return nullptr;
  const std::string directory = view.RealPath(kCompat);
  const DriverLibrary* found = nullptr;
  for (const DriverLibrary& library : image.stack.driver->libraries) {
    if (library.kind != DriverLibraryKind::kCompat || !library.name.starts_with("libcuda.so") ||
        library.version.empty() || base::DirName(library.real_path) != directory)
      continue;
    if (found != nullptr && found->real_path != library.real_path)
      return nullptr;  // the toolkit takes neither
    found = &library;
  }
  const auto compat = found != nullptr ? base::Version::Parse(found->version) : std::nullopt;
  if (!compat) return nullptr;
  const std::vector<uint32_t>& branches = found->compat_branches;
  const bool newer = branches.empty()
                         ? compat->part(0) > host->part(0)
                         : *compat > *host && std::ranges::find(branches, host->part(0)) != branches.end();
  return newer ? found : nullptr;
}

void Give(const Snapshot& before, snapshot::FileView& view, Snapshot& snapshot) {
  if (!snapshot.stack.driver || !snapshot.stack.driver->assumed || !IsStartedByToolkit(before)) return;
  snapshot::Driver& driver = *snapshot.stack.driver.value;
  const std::string directory = LibraryDirectory(before);
  if (!driver.kernel_version || directory.empty()) return;
  const DriverLibrary* compat = CompatInFront(before, view, *driver.kernel_version);
  const std::string front(compat != nullptr ? base::DirName(compat->real_path) : "");
  const auto cached = Cached(before);
  for (const auto& [name, capability] : knowledge::CapabilityLibraries()) {
    const std::string in_front = base::JoinPath(front, name);
    const auto own = cached.find(name);
    if (!front.empty() && view.Open(in_front).error == base::PathError::kNone) {
      driver.given.push_back({std::string(name), in_front, GivenFrom::kCompat});
    } else if (own != cached.end()) {
      driver.given.push_back(GivenAs(view, name, own->second, directory, *driver.kernel_version));
    } else {
      std::string path = base::JoinPath(directory, name);
      const GivenFrom from = IsPlainFile(view, path, name) ? GivenFrom::kImage : GivenFrom::kHost;
      driver.given.push_back({std::string(name), std::move(path), from});
    }
  }
}

std::string LoadsKey(const Snapshot& snapshot) {
  const auto& driver = snapshot.stack.driver;
  if (!driver || !driver->assumed) return "";
  std::string key = "driver";
  for (const GivenLibrary& library : driver->given) {
    if (library.from != GivenFrom::kHost) key += "\n" + library.name + "=" + library.path;
  }
  return key;
}

}  // namespace culprit::container

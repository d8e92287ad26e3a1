#include "collect/linux/library_places.h"

#include "base/text.h"
#include "binfmt/cache/ld_so_cache.h"
#include "knowledge/libraries.h"
#include "snapshot/directory_set.h"

namespace culprit::collect {
namespace {

using base::JoinPath;

using Places = snapshot::DirectorySet;

void AddCached(const system::System& system, std::string_view prefix, Places& places) {
  const auto file = system.Open("/etc/ld.so.cache");
  if (!file || !file->bytes) return;
  const auto cache = binfmt::ReadLdCache(*file->bytes);
  if (!cache) return;
  for (const binfmt::LdCacheEntry& entry : cache->entries) {
    if (entry.name.starts_with(prefix)) places.Add(base::DirName(entry.path));
  }
}

}  // namespace

std::vector<std::string> LibraryPlaces(const Surroundings& around,
                                       std::span<const snapshot::PythonEnvironment> environments,
                                       snapshot::FileView& view, std::string_view prefix) {
  Places places(view);
  for (const std::string& element :
       base::SplitWords(base::ValueOf(around.environment, "LD_LIBRARY_PATH"), ":;")) {
    places.Add(element);
  }
  AddCached(around.system, prefix, places);
  for (const std::string_view pattern : knowledge::UsualDirectories())
    places.AddPattern(std::string(pattern));
  for (const char* name : {"CUDA_HOME", "CUDA_PATH", "CUDNN_PATH", "CUDNN_HOME", "CUDNN_ROOT"}) {
    const std::string root = base::ValueOf(around.environment, name);
    if (!root.starts_with('/')) continue;
    for (const char* below : {"lib64", "lib"}) places.Add(JoinPath(root, below));
  }
  for (const char* name : {"CONDA_PREFIX", "VIRTUAL_ENV"}) {
    if (const std::string prefix_path = base::ValueOf(around.environment, name);
        prefix_path.starts_with('/')) {
      places.Add(JoinPath(prefix_path, "lib"));
    }
  }
  for (const snapshot::PythonEnvironment& environment : environments) {
    for (const std::string& site : environment.site_packages) {
      if (!site.starts_with('/') || view.Directory(site) != base::PathError::kNone) continue;
      for (const std::string_view below : knowledge::UsualPythonDirectories()) {
        places.AddPattern(JoinPath(site, below));
      }
    }
    if (environment.prefix.starts_with('/')) places.Add(JoinPath(environment.prefix, "lib"));
  }
  return places.Take();
}

}  // namespace culprit::collect

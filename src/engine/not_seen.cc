#include "engine/not_seen.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/text.h"
#include "base/windows/path.h"
#include "knowledge/libraries.h"

namespace culprit::engine {
namespace {

using base::Unread;

// Where something that matters would be. '*' stands for anything within a component.
struct WatchedPlace {
  std::string pattern;
  bool all_below = false;  // everything below, not only what stands in it
};

// Configuration of the loader, and where toolkits are installed.
constexpr std::array<std::string_view, 8> kFixedPlaces = {"/etc/ld.so.cache",
                                                          "/etc/ld.so.preload",
                                                          "/usr/local/cuda*",
                                                          "/opt/cuda*",
                                                          "/opt/nvidia/hpc_sdk",
                                                          "/usr/lib/cuda",
                                                          "/usr/lib/nvidia-cuda-toolkit",
                                                          "/C:/Program Files/NVIDIA*"};
// Variables that name the root of something with CUDA libraries in it.
constexpr std::array<std::string_view, 9> kRootVariables = {
    "CUDA_HOME",  "CUDA_PATH",  "CUDA_ROOT",    "CUDAToolkit_ROOT", "CUDNN_PATH",
    "CUDNN_HOME", "CUDNN_ROOT", "CONDA_PREFIX", "VIRTUAL_ENV"};

std::vector<WatchedPlace> PlacesThatMatter(const snapshot::Snapshot& snapshot) {
  const bool windows = snapshot.windows() != nullptr;
  std::vector<WatchedPlace> places;
  const auto add = [&](std::string_view path, bool all_below) {
    const std::string clean = windows ? base::FromWindowsPath(path, "/C:") : base::CleanPath(path);
    if (clean.starts_with('/')) places.push_back({clean, all_below});
  };
  for (const std::string_view path : kFixedPlaces) places.push_back({std::string(path), true});
  for (const std::string_view path : knowledge::UsualDirectories()) places.push_back({std::string(path)});
  for (const auto& [name, value] : snapshot.environment) {
    if (std::ranges::find(kRootVariables, name) != kRootVariables.end()) add(value, true);
    if (name != "LD_LIBRARY_PATH" && name != "PYTHONPATH") continue;
    for (const std::string& element : base::SplitWords(value, ":;")) add(element, name == "PYTHONPATH");
  }
  for (const snapshot::LoaderFacts& loader : snapshot.loaders) {
    places.push_back({loader.path});
    for (const std::string& directory : loader.system_dirs) add(directory, false);
  }
  if (snapshot.ld_cache) {
    for (const auto& entry : snapshot.ld_cache->entries) {
      if (knowledge::FindLibrary(entry.name) != nullptr) places.push_back({std::string(entry.path)});
    }
  }
  if (snapshot.stack.environments) {
    for (const snapshot::PythonEnvironment& environment : *snapshot.stack.environments) {
      places.push_back({base::JoinPath(environment.prefix, "lib")});
      for (const std::string& site : environment.site_packages) places.push_back({site, true});
    }
  }
  return places;
}

// Whether `path` is the place, lies in it, or stands before it: then nobody came as far as there.
bool Concerns(const std::vector<std::string>& path, const WatchedPlace& place) {
  const std::vector<std::string> pattern = base::SplitWords(place.pattern, "/");
  const size_t shared = std::min(path.size(), pattern.size());
  for (size_t i = 0; i < shared; ++i) {
    if (!base::MatchesPattern(pattern[i], path[i])) return false;
  }
  return place.all_below || path.size() <= pattern.size() + 1;
}

std::string InWords(Unread why, bool root) {
  switch (why) {
    case Unread::kAccess:
      return root ? "permission denied, even for root; run culprit as the user "
                    "who may read it"
                  : "permission denied; run culprit with sudo, or allow everyone "
                    "to read it (chmod a+rX)";
    case Unread::kInputOutput:
      return "input/output error; check the disk or the mount (dmesg), then run "
             "culprit again";
    case Unread::kNoAnswer:
      return "no answer in time; check the mount, or wait longer with --timeout";
    case Unread::kTooMuch:
      return "too large to be read whole; remove what does not belong there";
    case Unread::kNotUnderstood:
      return "damaged, or of an unknown format; reinstall or rebuild it "
             "(ldconfig rebuilds ld.so.cache)";
  }
  return "";
}

}  // namespace

std::vector<report::NotChecked> NotSeen(const snapshot::Snapshot& snapshot) {
  std::vector<report::NotChecked> list;
  if (snapshot.unread.empty()) return list;
  const std::vector<WatchedPlace> places = PlacesThatMatter(snapshot);
  const bool root = snapshot.stack.context && snapshot.stack.context->root;
  for (const snapshot::UnreadPlace& unread : snapshot.unread) {
    const auto matters = [&](const std::string& name) {
      const std::vector<std::string> path = base::SplitWords(name, "/");
      return std::ranges::any_of(places, [&](const WatchedPlace& place) { return Concerns(path, place); });
    };
    if (matters(unread.path) || std::ranges::any_of(unread.names, matters))
      list.push_back({unread.path, InWords(unread.why, root)});
  }
  return list;
}

}  // namespace culprit::engine

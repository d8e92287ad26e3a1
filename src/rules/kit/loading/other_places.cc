#include "rules/kit/loading/other_places.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "base/windows/path.h"

namespace culprit::rules {
namespace {

constexpr size_t kMostItems = 64;  // more are no program's own folder

// The directories of run paths, and of ld.so.cache, that are not there.
std::set<std::string> DeadDirectories(const Scene& scene, const loader::Scenario& scenario) {
  std::set<std::string> dead;
  for (const loader::Request& request : scenario.graph.requests) {
    for (const loader::Attempt& attempt : request.attempts) {
      const std::string directory = base::CleanPath(base::DirName(attempt.path));
      const bool of_run_path = attempt.in_missing_directory && !attempt.origin.empty() && !attempt.hwcaps;
      const bool of_cache = attempt.via == loader::Via::kCache &&
                            attempt.outcome == loader::Outcome::kMissing && !dead.contains(directory) &&
                            scene.view.Directory(directory) == base::PathError::kNoEntry;
      if (of_run_path || of_cache) dead.insert(directory);
    }
  }
  return dead;
}

std::vector<std::string> DirectoriesIn(const Scene& scene, const std::string& parent) {
  const auto items = scene.view.List(parent);
  std::vector<std::string> directories;
  if (!items || items->size() > kMostItems) return directories;
  for (const snapshot::DirectoryItem& item : *items) {
    if (item.kind == snapshot::FileKind::kDirectory) directories.push_back(base::JoinPath(parent, item.name));
  }
  return directories;
}

// /opt/spack/cuda-13/lib64 -> /scratch/spack/cuda-13/lib64, /scratch/cuda-13/lib64; a single component is no
// hint.
std::vector<std::string> ElsewhereBelow(const Scene& scene, const std::vector<std::string>& tops,
                                        const std::string& dead) {
  std::vector<std::string> found;
  for (size_t from = dead.find('/', 1); from != std::string::npos; from = dead.find('/', from + 1)) {
    const std::string tail = dead.substr(from + 1);
    if (tail.find('/') == std::string::npos) break;
    for (const std::string& top : tops) {
      std::string place = base::JoinPath(top, tail);
      if (scene.view.Directory(place) == base::PathError::kNone) found.push_back(std::move(place));
    }
  }
  return found;
}

// The CUDA of a tree of modules, where each release of each program has a prefix: /sw/cuda/13.0/lib64 for
// /sw/ocean/5.1.
std::vector<std::string> ModulesBeside(const Scene& scene, const std::string& prefix) {
  const std::string tree(base::DirName(base::DirName(prefix)));
  std::vector<std::string> found;
  if (tree.size() < 2 || tree == "/usr") return found;
  for (const std::string& program : DirectoriesIn(scene, tree)) {
    const std::string name = base::FoldCase(base::BaseName(program));
    if (!base::Contains(name, "cuda") && !base::Contains(name, "cudnn") && !base::Contains(name, "nccl"))
      continue;
    for (const std::string& release : DirectoriesIn(scene, program)) {
      for (const char* below : {"lib64", "lib"}) {
        std::string place = base::JoinPath(release, below);
        if (scene.view.Directory(place) == base::PathError::kNone) found.push_back(std::move(place));
      }
    }
  }
  return found;
}

}  // namespace

std::vector<std::string> OwnDirectories(const Scene& scene, const loader::Scenario& scenario) {
  if (scenario.graph.objects.empty()) return {};
  const std::string program = scene.view.RealPath(scenario.graph.objects.front().path);
  if (!program.starts_with('/')) return {};
  const std::string own(base::DirName(program)), prefix(base::DirName(own));
  if (scene.OnWindows()) return DirectoriesIn(scene, own);  // it searches its own folder, not those below
  std::vector<std::string> directories = {own, base::JoinPath(own, "lib"), prefix,
                                          base::JoinPath(prefix, "lib"), base::JoinPath(prefix, "lib64")};
  const snapshot::LoaderFacts* loader = scene.snapshot.FindLoader(scenario.graph.interpreter);
  if (loader != nullptr && !loader->lib_token.empty())  // lib/x86_64-linux-gnu
    directories.push_back(base::JoinPath(prefix, loader->lib_token));
  for (std::string& place : ModulesBeside(scene, prefix)) directories.push_back(std::move(place));
  return directories;
}

std::vector<std::string> InsteadOfMissing(const Scene& scene, const loader::Scenario& scenario) {
  const std::set<std::string> dead = DeadDirectories(scene, scenario);
  if (dead.empty()) return {};
  std::set<std::string> parents;
  for (const std::string& directory : dead) parents.emplace(base::DirName(directory));
  std::vector<std::string> instead;
  for (const std::string& parent : parents) {
    const auto beside = DirectoriesIn(scene, parent);
    instead.insert(instead.end(), beside.begin(), beside.end());
  }
  if (scene.OnWindows()) return instead;
  std::vector<std::string> tops = DirectoriesIn(scene, "/");
  std::erase_if(tops, [](const std::string& top) {
    return top == "/proc" || top == "/sys" || top == "/dev" || top == "/run";
  });
  for (const std::string& directory : dead) {
    const auto moved = ElsewhereBelow(scene, tops, directory);
    instead.insert(instead.end(), moved.begin(), moved.end());
  }
  for (const std::string& top : tops) {  // /srv/cuda/lib
    for (const std::string& folder : DirectoriesIn(scene, top)) {
      for (const char* below : {"lib64", "lib"}) {
        std::string place = base::JoinPath(folder, below);
        if (scene.view.Directory(place) == base::PathError::kNone) instead.push_back(std::move(place));
      }
    }
  }
  return instead;
}

}  // namespace culprit::rules

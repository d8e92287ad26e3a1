// What the processes of a run loaded, in order, each CUDA library with its version.
#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "base/windows/path.h"
#include "knowledge/libraries.h"
#include "run/judge/parts.h"

namespace culprit::run {
namespace {

// More than any real process; the rest of a made-up record is left out.
constexpr size_t kMostLoadsShown = 8192;

// Of the system's own directories.
bool InSystemDirectory(const std::string& path, const snapshot::Snapshot& snapshot) {
  if (const snapshot::WindowsFacts* windows = snapshot.windows()) {
    return base::FoldCase(path).starts_with(base::FoldCase(windows->directory) + "/");
  }
  const std::string directory = std::string(base::DirName(path)) + "/";
  return std::ranges::any_of(snapshot.loaders, [&](const snapshot::LoaderFacts& loader) {
    return std::ranges::find(loader.system_dirs, directory) != loader.system_dirs.end();
  });
}

report::RunLoad AsRunLoad(const record::Loaded& loaded, const std::string& process,
                          const rules::Scene& scene) {
  report::RunLoad load;
  load.seconds = Seconds(loaded.at);
  load.process = process;
  load.closed = loaded.closed;
  load.name = loaded.name.empty() ? std::string(base::BaseName(loaded.path)) : loaded.name;
  load.path = Shown(loaded.path, scene.view);
  load.real_path = loaded.real_path.empty() ? load.path : loaded.real_path;
  load.via = loaded.via;
  load.requested_by = Shown(loaded.requester, scene.view);
  load.opened_by = loaded.dlopen ? base::Opened::kDlopen : base::Opened::kNeeded;
  if (loaded.deleted) load.problem = "its file was replaced or removed after it was loaded";
  const knowledge::Library* library = knowledge::FindLibrary(base::BaseName(loaded.path));
  if (library == nullptr) {
    load.system =
        InSystemDirectory(load.path, scene.snapshot) || InSystemDirectory(load.real_path, scene.snapshot);
    return load;
  }
  load.title = library->title;
  if (loaded.deleted) return load;  // what is there now is another file
  if (const auto version = scene.view.Version(loaded.path)) {
    load.version = {version->version, version->cuda, version.source};
  }
  return load;
}

}  // namespace

std::vector<const record::Loaded*> Had(const record::Run& run, const record::Process& process) {
  constexpr size_t kDeepest = 64;  // forks of forks
  std::vector<const record::Process*> line = {&process};
  while (line.back()->forked && line.size() < kDeepest) {
    const record::Process* parent = FindProcess(run, line.back()->parent, line.back()->at);
    if (parent == nullptr || std::ranges::find(line, parent) != line.end()) break;
    line.push_back(parent);
  }
  std::vector<const record::Loaded*> had;
  std::set<std::string_view> paths;
  for (size_t i = line.size(); i-- > 0;) {
    for (const record::Loaded& loaded : line[i]->loads) {
      if (had.size() >= kMostLoadsShown) break;
      const bool inherited = i == 0 || loaded.at <= line[i - 1]->at;
      const bool known = !paths.insert(loaded.path).second && i + 1 < line.size();
      if (inherited && !known) had.push_back(&loaded);
    }
  }
  return had;
}

std::vector<report::RunLoad> Loads(const record::Run& run, const rules::Scene& scene) {
  std::vector<report::RunLoad> loads;
  for (const record::Process& process : run.processes) {
    const std::string name = ProcessName(run, process);
    std::map<std::string, size_t> places;  // by path, plus one
    for (const record::Loaded& loaded : process.loads) {
      if (loads.size() >= kMostLoadsShown * 4) return loads;
      // The program itself; what a forked process inherited is listed with its parent.
      if (&loaded == &process.loads.front() && !process.forked) continue;
      if (process.forked && loaded.at < process.at) continue;
      report::RunLoad load = AsRunLoad(loaded, name, scene);
      if (const auto parent = places.find(loaded.requester); parent != places.end())
        load.parent = parent->second;
      places[loaded.path] = loads.size() + 1;
      loads.push_back(std::move(load));
    }
  }
  return loads;
}

}  // namespace culprit::run

#include "loader/observed/observed.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "knowledge/libraries.h"
#include "loader/glibc/symbols.h"
#include "loader/observed/parts.h"

namespace culprit::loader {
namespace {

// More than any real process has; the rest of a forged list is dropped.
constexpr size_t kMostObjects = 8192;
constexpr size_t kMostProcesses = 64;

Object ObjectOf(Seen& seen, const record::Loaded& loaded) {
  Object object{.name = loaded.name.empty() ? std::string(base::BaseName(loaded.path)) : loaded.name,
                .path = loaded.path,
                .real_path = loaded.real_path.empty() ? seen.view.RealPath(loaded.path) : loaded.real_path,
                .via = loaded.via.value_or(Via::kUnknown),
                .opened_by = loaded.dlopen ? OpenedBy::kDlopen : OpenedBy::kNeeded};
  if (object.via == Via::kLdPreload) object.opened_by = OpenedBy::kPreload;
  if (loaded.deleted) return object;
  const snapshot::FileFacts& file = seen.view.Open(loaded.path);
  object.elf = file.elf;
  object.pe = file.pe;
  object.id = file.id;
  return object;
}

// At the end of a process the loader closes everything, including the program.
bool ClosedWhileRunning(const record::Process& process, const record::Loaded& loaded) {
  return loaded.closed && !process.loads.front().closed;
}

// The loader itself is not an object of the graph.
bool IsLoader(const Seen& seen, const Object& object) {
  const std::string& interpreter = seen.scenario.graph.interpreter;
  return !interpreter.empty() &&
         (object.path == interpreter || object.real_path == seen.view.RealPath(interpreter));
}

void AddObjects(Seen& seen) {
  LoadGraph& graph = seen.scenario.graph;
  for (const record::Loaded& loaded : seen.process.loads) {
    if (graph.objects.size() >= kMostObjects) return;
    if (loaded.path.empty() || ClosedWhileRunning(seen.process, loaded)) continue;
    if (seen.objects.contains(loaded.path)) continue;
    Object object = ObjectOf(seen, loaded);
    const bool program = graph.objects.empty();
    if (loaded.deleted) seen.scenario.replaced.push_back(object);
    if (loaded.deleted && !program) continue;
    if (program) {
      graph.interpreter = object.elf == nullptr ? "" : object.elf->interpreter.value_or("");
    } else if (IsLoader(seen, object)) {
      continue;
    }
    seen.objects.emplace(loaded.path, graph.objects.size());
    seen.objects.emplace(object.real_path, graph.objects.size());
    graph.objects.push_back(std::move(object));
  }
}

// As the watched process requested them: one request per object, so that the graph can say how each file was
// found.
void AddRequests(Seen& seen) {
  LoadGraph& graph = seen.scenario.graph;
  std::set<size_t> done = {0};
  for (const record::Loaded& loaded : seen.process.loads) {
    const size_t index = loaded.path.empty() ? kNone : seen.Find(loaded.path);
    if (index == kNone || !done.insert(index).second) continue;
    Object& object = graph.objects[index];
    const bool preload = object.opened_by == OpenedBy::kPreload;
    object.requester = preload ? kNone : seen.Find(loaded.requester);
    Attempt attempt{.path = object.path, .outcome = Outcome::kFound};
    if (object.via == Via::kRpath || object.via == Via::kRunpath)
      attempt.origin = RunPathOrigin(graph, object.requester, object.path, object.via);
    attempt.via = object.via;
    Request request{.name = object.name,
                    .requester = object.requester,
                    .opened_by = object.opened_by,
                    .via = object.via,
                    .object = index,
                    .loaded_now = true,
                    .attempts = {std::move(attempt)}};
    if (object.requester == kNone && !preload) request.requester_path = loaded.requester;
    graph.requests.push_back(std::move(request));
  }
}

bool SearchWasSeen(const record::Process& process) {
  return std::ranges::any_of(process.loads,
                             [](const record::Loaded& loaded) { return loaded.via.has_value(); });
}

bool LiesIn(std::string_view path, std::string_view directory) {
  return !directory.empty() && path.size() > directory.size() && path.starts_with(directory) &&
         path[directory.size()] == '/';
}

// Whether the process loaded, or failed to load, a file of this directory.
bool Touches(const Seen& seen, const std::string& directory) {
  const std::string real = seen.view.RealPath(directory);
  const auto inside = [&](const std::string& path) { return LiesIn(path, directory) || LiesIn(path, real); };
  const auto loaded = [&](const Object& object) { return inside(object.path) || inside(object.real_path); };
  return std::ranges::any_of(seen.scenario.graph.objects, loaded) ||
         std::ranges::any_of(seen.scenario.replaced, loaded) ||
         std::ranges::any_of(seen.process.failed_requests, [&](const record::Request& request) {
           return inside(request.name) || inside(request.requester);
         });
}

// Whether something from that directory failed to load.
bool FailsIn(const Seen& seen, const std::string& directory) {
  return std::ranges::any_of(seen.process.failed_requests, [&](const record::Request& request) {
    return !request.error.empty() &&
           (LiesIn(request.name, directory) || LiesIn(request.requester, directory));
  });
}

// The Python environment of the process, and the framework that represents the process: the one that failed
// to load, otherwise the first one on the list that was loaded.
void FindEnvironment(Seen& seen) {
  if (!seen.snapshot.stack.environments) return;
  const auto& environments = *seen.snapshot.stack.environments;
  Scenario& scenario = seen.scenario;
  bool fails = false;
  for (size_t e = 0; e < environments.size(); ++e) {
    for (size_t f = 0; f < environments[e].frameworks.size(); ++f) {
      const std::string& directory = environments[e].frameworks[f].directory;
      if (!Touches(seen, directory)) continue;
      const bool this_fails = FailsIn(seen, directory);
      if (scenario.framework != kNone && (fails || !this_fails)) continue;
      scenario.environment = e;
      scenario.framework = f;
      fails = this_fails;
    }
  }
  if (scenario.environment != kNone) return;
  for (size_t e = 0; e < environments.size() && scenario.environment == kNone; ++e) {
    const auto& places = environments[e].site_packages;
    if (std::ranges::any_of(places, [&](const std::string& place) { return Touches(seen, place); }))
      scenario.environment = e;
  }
}

bool HasLoaded(const snapshot::Snapshot& snapshot, const Scenario& scenario, size_t framework,
               snapshot::FileView& view) {
  const auto& environment = (*snapshot.stack.environments)[scenario.environment];
  const std::string& directory = environment.frameworks[framework].directory;
  const std::string real = view.RealPath(directory);
  return std::ranges::any_of(scenario.graph.objects, [&](const Object& object) {
    return LiesIn(object.path, directory) || LiesIn(object.real_path, real);
  });
}

// Names of the CUDA libraries in a process.
std::set<std::string_view> CudaLibraries(const Scenario& scenario) {
  std::set<std::string_view> names;
  for (const Object& object : scenario.graph.objects) {
    if (const auto* library = LibraryOf(object)) names.insert(library->name);
  }
  return names;
}

bool Fails(const Scenario& scenario) {
  return !scenario.graph.error.empty() || !scenario.graph.import_error.empty() ||
         std::ranges::any_of(scenario.graph.requests, [](const Request& request) {
           return !request.error.empty() && !request.optional && !request.alternative;
         });
}

bool Shows(const Scenario& seen, const Scenario& played) {
  const bool same = played.kind == Scenario::Kind::kFramework
                        ? seen.environment == played.environment && seen.framework == played.framework
                        : played.graph.target == seen.graph.target && !seen.graph.target.empty();
  return same && !(Fails(played) && Fails(seen)) &&
         std::ranges::includes(CudaLibraries(seen), CudaLibraries(played));
}

// A process that did not call exec has what its parent had up to then.
record::Process WithParents(const record::Run& run, const record::Process& process, size_t depth = 0) {
  constexpr size_t kMostForks = 32;
  if (!process.forked || depth > kMostForks) return process;
  const auto parent = std::ranges::find(run.processes, process.parent, &record::Process::id);
  if (parent == run.processes.end() || &*parent == &process) return process;
  record::Process whole = process;
  record::Process above = WithParents(run, *parent, depth + 1);
  std::vector<record::Loaded> loads = std::move(above.loads);
  std::erase_if(loads, [&](const record::Loaded& loaded) { return loaded.at > process.at; });
  loads.insert(loads.end(), process.loads.begin(), process.loads.end());
  whole.loads = std::move(loads);
  if (whole.program.empty()) whole.program = above.program;
  return whole;
}

}  // namespace

std::string ProcessTitle(const record::Process& process) {
  std::string name(base::BaseName(process.program));
  if (name.empty() && !process.arguments.empty()) name = base::BaseName(process.arguments.front());
  return (name.empty() ? "process" : name) + " (pid " + std::to_string(process.id) + ")";
}

Scenario Observed(const record::Process& process, const snapshot::Snapshot& snapshot,
                  snapshot::FileView& view) {
  Scenario scenario{.kind = Scenario::Kind::kProcess,
                    .title = ProcessTitle(process),
                    .process = process.id,
                    .devices = process.devices};
  scenario.graph.target = process.program;
  scenario.graph.windows = snapshot.windows() != nullptr;
  Seen seen{process, snapshot, view, scenario};
  AddObjects(seen);
  FindEnvironment(seen);
  if (SearchWasSeen(process)) {
    AddRequests(seen);
  } else {
    ReconstructSearch(seen);
  }
  AddFailures(seen);
  if (!scenario.graph.windows) FindMissingSymbols(scenario.graph, view);
  return scenario;
}

std::vector<Scenario> ScenariosAround(const std::vector<record::Process>& processes,
                                      const snapshot::Snapshot& snapshot, snapshot::FileView& view) {
  std::vector<Scenario> seen;
  for (const record::Process& process : processes) seen.push_back(Observed(process, snapshot, view));
  std::vector<Scenario> scenarios;
  for (Scenario& played : PlayScenarios(snapshot, view, {})) {
    const bool any = played.kind == Scenario::Kind::kAnyProgram;
    if (any) played.title = "any program started from its environment";
    const auto loads = [&](const Scenario& one) {
      return one.environment == played.environment && HasLoaded(snapshot, one, played.framework, view);
    };
    if (any || (played.kind == Scenario::Kind::kFramework && std::ranges::any_of(seen, loads)))
      scenarios.push_back(std::move(played));
  }
  scenarios.insert(scenarios.end(), std::make_move_iterator(seen.begin()),
                   std::make_move_iterator(seen.end()));
  DropPlayedThatWasSeen(scenarios);
  return scenarios;
}

std::vector<Scenario> ObservedProcesses(const record::Run& run, const snapshot::Snapshot& snapshot,
                                        snapshot::FileView& view) {
  std::vector<Scenario> scenarios;
  for (const record::Process& process : run.processes) {
    if (scenarios.size() >= kMostProcesses) break;
    if (process.forked && process.loads.empty() && process.failed_requests.empty()) continue;
    scenarios.push_back(Observed(WithParents(run, process), snapshot, view));
  }
  return scenarios;
}

void DropPlayedThatWasSeen(std::vector<Scenario>& scenarios) {
  std::vector<Scenario> kept;
  for (const Scenario& scenario : scenarios) {
    const bool played = !scenario.WasSeen() && scenario.kind != Scenario::Kind::kAnyProgram;
    const auto shows = [&](const Scenario& seen) { return seen.WasSeen() && Shows(seen, scenario); };
    if (!played || std::ranges::none_of(scenarios, shows)) kept.push_back(scenario);
  }
  scenarios = std::move(kept);
}

}  // namespace culprit::loader

// Loads that failed. Healthy programs have plenty of them: a plug-in that may be there, a library under three
// names of which one exists. A failed load matters if the program failed and its output names the file, or
// the requester cannot work without it (data/libraries.toml), or another library needed it right before the
// end, or it is a cuDNN sub-library and the output complains about cuDNN, or it belongs to the driver and the
// program ended without a message. None matters if the program ended with its own error. All names tried for
// one library count as one failure.
#include <algorithm>
#include <map>

#include "base/text.h"
#include "knowledge/libraries.h"
#include "loader/library_copies.h"
#include "run/judge/parts.h"

namespace culprit::run {
namespace {

using record::Process;
using record::Request;
using report::RunFailedLoad;

constexpr size_t kLongestChain = 32;
constexpr size_t kMostRequests = 20000;  // of a made-up record the rest is left out
constexpr size_t kMostChains = 64;       // failures of which it is told through whom they came
constexpr size_t kMostSearched = 8;      // failures for which copies are looked for

std::string FileName(const std::string& name) { return std::string(base::BaseName(name)); }

// What the name stands for whatever its number: "libcudnn_cnn.so.9.19.0" and "libcudnn_cnn.so.9" are one.
std::string Stem(const std::string& name) {
  const std::string file = FileName(name);
  return file.substr(0, file.find(".so"));
}

using Mapped = std::vector<const record::Loaded*>;

bool Loaded(const Mapped& mapped, const std::string& stem) {
  return std::ranges::any_of(mapped, [&](const record::Loaded* loaded) {
    return !loaded->closed && (Stem(loaded->path) == stem || Stem(loaded->name) == stem);
  });
}

// "libcudnn_cnn.so.{major}" of the table, by its stem: the versions of the file are not asked for here.
bool RequiredByTable(const Request& request) {
  if (!request.dlopen) return false;
  const knowledge::Library* caller = knowledge::FindLibrary(base::BaseName(request.requester));
  if (caller == nullptr) return false;
  const std::string stem = Stem(request.name);
  return std::ranges::any_of(caller->opens, [&](const knowledge::DlopenEdge& edge) {
    return !edge.optional && std::ranges::any_of(edge.names, [&](std::string_view name) {
      return Stem(std::string(name)) == stem;
    });
  });
}

// What loaded the requester, outermost first: from the library that the program opened.
std::vector<std::string> ChainOf(const Process& process, const Mapped& mapped, const std::string& requester) {
  std::vector<std::string> chain;
  std::string path = requester;
  while (!path.empty() && chain.size() < kLongestChain) {
    if (std::ranges::find(chain, path) != chain.end()) break;
    if (path == process.program || (!mapped.empty() && path == mapped.front()->path)) break;
    chain.push_back(path);
    const auto loaded = std::ranges::find_if(mapped, [&](const auto* one) { return one->path == path; });
    if (loaded == mapped.end() || (*loaded)->dlopen) break;  // the program asked for this one
    path = (*loaded)->requester;
  }
  std::ranges::reverse(chain);
  return chain;
}

bool IsCudnnPart(const std::string& name) { return base::BaseName(name).starts_with("libcudnn_"); }

bool ComplainsOfCudnn(const Heard& heard) {
  for (size_t i = 0; i < heard.of_texts; ++i) {
    const auto role = heard.symptoms[i].role();
    const bool failure = role == knowledge::Role::kFailure || role == knowledge::Role::kConsequence;
    if (failure && heard.symptoms[i].kind().starts_with("cudnn")) return true;
  }
  return false;
}

// libcuda: without it, the requester has no GPU.
bool IsDriver(const std::string& name) {
  const knowledge::Library* library = knowledge::FindLibrary(base::BaseName(name));
  return library != nullptr && library->family == "driver" && library->name == "cuda";
}

enum class Weight { kNamed, kRequired, kNeeded, kNone };

// How the program ended, as far as loads go.
struct Ending {
  std::vector<std::string> named;
  bool cudnn_fails = false;
  bool silent = false;
  bool own_error = false;
};

Weight WeightOf(const record::Run& run, const Mapped& mapped, const Request& request, const Ending& ending) {
  if (!run.failed()) return Weight::kNone;
  if (!request.killed_by.empty()) return Weight::kNamed;
  if (ending.own_error) return Weight::kNone;
  if (std::ranges::binary_search(ending.named, FileName(request.name))) return Weight::kNamed;
  if (Loaded(mapped, Stem(request.name))) return Weight::kNone;  // found under another name, or later
  if (ending.cudnn_fails && IsCudnnPart(request.name)) return Weight::kRequired;
  if (RequiredByTable(request) || (ending.silent && IsDriver(request.name))) return Weight::kRequired;
  return !request.dlopen && NearTheEnd(run, request.at) ? Weight::kNeeded : Weight::kNone;
}

// The best-known name of a library.
bool BetterName(const std::string& now, const std::string& other, bool other_named, bool now_named) {
  const auto known = [](const std::string& name) {
    const knowledge::Library* library = knowledge::FindLibrary(base::BaseName(name));
    return library != nullptr && knowledge::IsNameOf(*library, base::BaseName(name));
  };
  if (known(other) != known(now)) return known(other);
  return other_named && !now_named;
}

void AddPlaces(const Request& request, snapshot::FileView& view, RunFailedLoad& failed) {
  for (const record::Attempt& attempt : request.attempts) {
    failed.searched.push_back({.path = Shown(attempt.path, view),
                               .via = attempt.via,
                               .outcome = attempt.outcome,
                               .detail = "",
                               .origin = ""});
  }
}

void AddCopies(const rules::Scene& scene, const std::vector<std::string>& directories,
               RunFailedLoad& failed) {
  for (const loader::LibraryCopy& copy : loader::FindCopies(directories, scene.view, FileName(failed.name))) {
    report::Copy told{.path = copy.path, .version = {}, .note = ""};
    if (const auto version = scene.view.Version(copy.path)) {
      told.version = {version->version, version->cuda, version.source};
    }
    failed.elsewhere.push_back(std::move(told));
  }
}

}  // namespace

std::vector<RunFailedLoad> FailedLoadsOf(const record::Run& run, const rules::Scene& scene,
                                         const Heard& heard) {
  struct Group {
    RunFailedLoad failed;
    Weight weight = Weight::kNone;
  };
  std::vector<Group> groups;
  std::map<std::string, size_t> places;
  size_t requests = 0;
  const Ending ending{.named = LibrariesNamed(run),
                      .cudnn_fails = ComplainsOfCudnn(heard),
                      .silent = EndedSilently(run, heard),
                      .own_error = heard.own_error};
  for (const Process& process : run.processes) {
    const Mapped mapped = process.failed_requests.empty() ? Mapped{} : Had(run, process);
    for (const Request& request : process.failed_requests) {
      if (++requests > kMostRequests) break;
      const Weight weight = WeightOf(run, mapped, request, ending);
      const std::string key = std::to_string(process.id) + " " + request.requester + " " + Stem(request.name);
      const auto [place, fresh] = places.try_emplace(key, groups.size());
      if (fresh) {
        groups.push_back({{.seconds = Seconds(request.at),
                           .process = ProcessName(run, process),
                           .name = request.name,
                           .requested_by = Shown(request.requester, scene.view),
                           .chain = groups.size() < kMostChains || weight != Weight::kNone
                                        ? ChainOf(process, mapped, request.requester)
                                        : std::vector<std::string>{},
                           .dlopen = request.dlopen,
                           .survived = false,
                           .searched = {},
                           .elsewhere = {}},
                          weight});
      }
      Group& group = groups[place->second];
      if (!fresh && BetterName(group.failed.name, request.name, weight == Weight::kNamed,
                               group.weight == Weight::kNamed)) {
        group.failed.name = request.name;
      }
      group.weight = std::min(group.weight, weight);
      AddPlaces(request, scene.view, group.failed);
    }
  }
  std::vector<RunFailedLoad> failed;
  for (const Weight weight : {Weight::kNamed, Weight::kRequired, Weight::kNeeded, Weight::kNone}) {
    for (Group& group : groups) {
      if (group.weight != weight) continue;
      group.failed.survived = weight == Weight::kNone;
      failed.push_back(std::move(group.failed));
    }
  }
  for (RunFailedLoad& one : failed) {
    for (std::string& step : one.chain) step = Shown(step, scene.view);
  }
  std::vector<std::string> directories;
  for (size_t i = 0; i < std::min(failed.size(), kMostSearched) && !failed[i].survived; ++i) {
    if (directories.empty()) directories = loader::LibraryDirectories(scene.snapshot, scene.view);
    AddCopies(scene, directories, failed[i]);
  }
  return failed;
}

}  // namespace culprit::run

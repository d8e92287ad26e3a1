// What requested the files of a process that was already running, and how each was found. What is mapped is
// certain; the rest is inferred: the model starts the program again with the environment of the process and
// opens what no DT_NEEDED explains. If the model finds exactly the mapped file, we assume that its search is
// the one that happened.
#include <algorithm>
#include <set>

#include "base/text.h"
#include "base/windows/path.h"
#include "knowledge/libraries.h"
#include "loader/observed/parts.h"

namespace culprit::loader {
namespace {

// Python opens its modules by their full path.
bool IsPythonModule(std::string_view path) {
  const std::string_view name = base::BaseName(path);
  return name.find(".cpython-") != std::string_view::npos || name.ends_with(".abi3.so");
}

std::vector<std::string> NamesOf(const Object& object) {
  std::vector<std::string> names = {std::string(base::BaseName(object.path)),
                                    std::string(base::BaseName(object.real_path))};
  if (object.elf != nullptr && object.elf->soname) names.insert(names.begin(), *object.elf->soname);
  return names;
}

class Reconstruction {
 public:
  explicit Reconstruction(Seen& seen) : seen_(seen), graph_(seen.scenario.graph) {}

  void Run() {
    if (graph_.objects.empty()) return;
    FindNeeders();
    std::vector<size_t> opened;  // not explained by any DT_NEEDED or by a dlopen in the table
    for (size_t i = 1; i < graph_.objects.size(); ++i) {
      Object& object = graph_.objects[i];
      object.via = Via::kUnknown;
      object.requester = NeederOf(object);
      if (object.requester != kNone) continue;
      object.opened_by = OpenedBy::kDlopen;
      object.requester = KnownCallerOf(i);
      if (object.requester == kNone) opened.push_back(i);
    }
    Play(opened);
    for (size_t i = 1; i < graph_.objects.size(); ++i) AddRequest(i);
  }

 private:
  void FindNeeders() {
    for (size_t i = 0; i < graph_.objects.size(); ++i) {
      if (const auto& elf = graph_.objects[i].elf; elf != nullptr) {
        for (const binfmt::ElfRequest& request : elf->requests) needers_.emplace(request.name, i);
      }
      if (const auto& pe = graph_.objects[i].pe; pe != nullptr) {
        for (const binfmt::PeImport& import : pe->imports) needers_.emplace(base::FoldCase(import.dll), i);
      }
    }
  }

  size_t NeederOf(const Object& object) const {
    for (const std::string& name : NamesOf(object)) {
      const auto found = needers_.find(graph_.windows ? base::FoldCase(name) : name);
      if (found != needers_.end() && &graph_.objects[found->second] != &object) return found->second;
    }
    return kNone;
  }

  size_t KnownCallerOf(size_t opened) const {
    const auto names = NamesOf(graph_.objects[opened]);
    for (size_t i = 0; i < graph_.objects.size(); ++i) {
      const knowledge::Library* library = i == opened ? nullptr : LibraryOf(graph_.objects[i]);
      if (library == nullptr) continue;
      for (const std::string& name : names) {
        if (FindKnownOpen(graph_.windows ? library->opens_windows : library->opens, name).known) return i;
      }
    }
    return kNone;
  }

  // If the program's own file is gone, only its loader is guessed.
  LoadGraph Ask(std::vector<ImportStep> steps, bool known_dlopens) const {
    const bool gone = graph_.objects.front().elf == nullptr;
    const auto& loaders = seen_.snapshot.loaders;
    return Load(seen_.snapshot, seen_.view,
                {.target = gone ? "" : graph_.objects.front().path,
                 .interpreter = gone && !loaders.empty() ? loaders.front().path : "",
                 .imports = std::move(steps),
                 .known_dlopens = known_dlopens});
  }

  // A search for its name may find exactly this file; otherwise it was opened by its path, or in an unknown
  // way.
  void Play(const std::vector<size_t>& opened) {
    // What Windows finds depends on calls that changed the search, so it is not simulated again.
    if (graph_.windows) return;
    const bool gone = graph_.objects.front().elf == nullptr;
    if (graph_.objects.size() == 1 || (graph_.interpreter.empty() && !gone)) return;
    std::vector<ImportStep> by_name;
    for (const size_t i : opened) {
      if (IsPythonModule(graph_.objects[i].path)) continue;
      by_name.push_back({.names = {NamesOf(graph_.objects[i]).front()}, .optional = true});
    }
    std::set<size_t> found;  // by a search for their names
    const LoadGraph searched = Ask(std::move(by_name), /*known_dlopens=*/false);
    for (const Request& request : searched.requests) {
      if (request.object == kNone || !request.loaded_now || request.opened_by != OpenedBy::kDlopen) continue;
      const size_t index = SameFile(searched.objects[request.object]);
      if (index != kNone) found.insert(index);
    }
    std::vector<ImportStep> steps;
    for (const size_t i : opened) {
      const bool by_search = found.contains(i) && !IsPythonModule(graph_.objects[i].path);
      steps.push_back({.names = {by_search ? NamesOf(graph_.objects[i]).front() : graph_.objects[i].path},
                       .optional = true});
    }
    Take(Ask(std::move(steps), /*known_dlopens=*/true), found);
  }

  size_t SameFile(const Object& played) const {
    const size_t by_path = seen_.Find(played.real_path);
    if (by_path != kNone && by_path != 0) return by_path;
    return kNone;
  }

  void Take(const LoadGraph& played, const std::set<size_t>& found) {
    for (const Request& request : played.requests) {
      if (request.object == kNone || !request.loaded_now) continue;
      const Object& answer = played.objects[request.object];
      const size_t index = SameFile(answer);
      if (index == kNone || searches_.contains(index)) continue;
      Object& object = graph_.objects[index];
      const bool python = IsPythonModule(object.path);
      if (request.via == Via::kPath && !python) continue;  // we passed the path to the model
      size_t asker = request.requester == kNone ? kNone : seen_.Find(played.objects[request.requester].path);
      if (asker == kNone && request.requester != kNone)
        asker = seen_.Find(played.objects[request.requester].real_path);
      // The caller of dlopen is unknown, and a full path would have led there too.
      const bool anybody = found.contains(index) && request.opened_by == OpenedBy::kDlopen;
      object.path = answer.path;
      object.name = answer.name;
      object.via = answer.via;
      object.opened_by = request.opened_by;
      object.requester = anybody ? kNone : asker;
      Request search = request;
      search.uncertain |= anybody;
      search.requester = object.requester;
      search.object = index;
      searches_.emplace(index, std::move(search));
    }
  }

  void AddRequest(size_t index) {
    const Object& object = graph_.objects[index];
    if (const auto known = searches_.find(index); known != searches_.end()) {
      graph_.requests.push_back(known->second);
      return;
    }
    graph_.requests.push_back(
        {.name = object.name,
         .requester = object.requester,
         .opened_by = object.opened_by,
         .via = object.via,
         .object = index,
         .loaded_now = true,
         .attempts = {{.path = object.path, .via = object.via, .outcome = Outcome::kFound}}});
  }

  Seen& seen_;
  LoadGraph& graph_;
  std::map<std::string, size_t> needers_;  // by name, the first object that needs it
  std::map<size_t, Request> searches_;     // by object, as the model made them
};

bool Names(const std::optional<std::string>& run_path, const Object& owner, std::string_view directory) {
  if (!run_path) return false;
  const std::string origin(base::DirName(owner.path));
  return std::ranges::any_of(base::Split(*run_path, ':'), [&](std::string element) {
    for (const std::string_view token : {"${ORIGIN}", "$ORIGIN"}) {
      if (const size_t at = element.find(token); at != std::string::npos)
        element.replace(at, token.size(), origin);
    }
    return base::CleanPath(element + "/") == base::CleanPath(std::string(directory) + "/");
  });
}

}  // namespace

std::string RunPathOrigin(const LoadGraph& graph, size_t requester, const std::string& path, Via& via) {
  if (requester >= graph.objects.size()) return "";
  const Object& asker = graph.objects[requester];
  if (asker.elf != nullptr && asker.elf->runpath) {
    via = Via::kRunpath;
    return asker.path;
  }
  via = Via::kRpath;
  size_t steps = 0;
  for (size_t i = requester; i < graph.objects.size() && steps <= graph.objects.size(); ++steps) {
    const Object& owner = graph.objects[i];
    if (owner.elf != nullptr && !owner.elf->runpath && Names(owner.elf->rpath, owner, base::DirName(path)))
      return owner.path;
    i = owner.requester;
  }
  return asker.path;
}

void ReconstructSearch(Seen& seen) { Reconstruction(seen).Run(); }

}  // namespace culprit::loader

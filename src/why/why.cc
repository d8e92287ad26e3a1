#include "why/why.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "base/version.h"
#include "base/windows_path.h"
#include "knowledge/libraries.h"
#include "loader/library_copies.h"
#include "why/places.h"
#include "why/python_search.h"

namespace culprit::why {
namespace {

using loader::LoadGraph;
using loader::Object;
using loader::OpenedBy;
using loader::Request;
using snapshot::FileView;
using snapshot::Snapshot;

report::LibraryVersion VersionOf(FileView& view, const std::string& path) {
  const auto fact = view.Version(path);
  if (!fact) return {};
  return {fact->version, fact->cuda, fact.source};
}

base::Opened Shown(OpenedBy opened_by) {
  const bool later = opened_by == OpenedBy::kDlopen || opened_by == OpenedBy::kDelayed;
  return later ? base::Opened::kDlopen : base::Opened::kNeeded;
}

std::string RequesterOf(const LoadGraph& graph, const Snapshot& snapshot, const Request& request) {
  if (!request.requester_path.empty()) return Absolute(snapshot, request.requester_path);
  if (request.requester == loader::kNone) return request.opened_by == OpenedBy::kPreload ? "LD_PRELOAD" : "";
  return Absolute(snapshot, graph.objects[request.requester].path);
}

// In a system directory and not part of CUDA.
bool IsSystemLibrary(const Object& object, const Snapshot& snapshot) {
  if (LibraryOf(object) != nullptr) return false;
  if (const snapshot::WindowsFacts* windows = snapshot.windows()) {
    return base::FoldCase(object.path).starts_with(base::FoldCase(windows->directory) + "/");
  }
  for (const auto& loader : snapshot.loaders) {
    for (const std::string& directory : loader.system_dirs) {
      const std::string_view name = std::string_view(directory).substr(0, directory.size() - 1);
      if (base::DirName(object.path) == name || base::DirName(object.real_path) == name) return true;
    }
  }
  return false;
}

size_t ParentOf(const Request& request) { return request.requester == loader::kNone ? 0 : request.requester; }

// Windows ignores case; a name without an extension means a DLL.
bool SameLibrary(const LoadGraph& graph, const std::string& a, const std::string& b) {
  if (!graph.windows) return a == b;
  return base::SameName(a, b) || base::SameName(a, b + ".dll");
}

// The request for that name whose search decided; nullptr if nothing requested it.
const Request* DecidingRequest(const LoadGraph& graph, const std::string& library) {
  const Request* best = nullptr;
  for (const Request& request : graph.requests) {
    const bool by_name = SameLibrary(graph, request.name, library);
    const bool by_object = request.object != loader::kNone && request.loaded_now &&
                           (SameLibrary(graph, graph.objects[request.object].path, library) ||
                            SameLibrary(graph, graph.objects[request.object].real_path, library));
    if (!by_name && !by_object) continue;
    // Found, but unloaded again because the load failed for another reason.
    if (graph.windows && request.error.empty() && request.object == loader::kNone &&
        request.via != loader::Via::kApiSet) {
      continue;
    }
    if (best == nullptr || (request.loaded_now && !best->loaded_now)) best = &request;
  }
  return best;
}

std::string DllNote(const snapshot::FileFacts& facts) {
  if (facts.pe == nullptr) return "";
  const binfmt::PeFile& pe = *facts.pe;
  if (facts.size == 0) return "empty file";
  if (pe.problem == binfmt::PeProblem::kNotPe || pe.problem == binfmt::PeProblem::kTooShort)
    return "not a DLL";
  if (!pe.complete()) return "truncated";
  if (pe.bits == 32) return "32-bit";
  return pe.machine == binfmt::kPeMachineX64 ? "" : "for " + binfmt::PeMachineName(pe.machine);
}

std::string CopyNote(const snapshot::FileFacts& facts, const Snapshot& snapshot) {
  if (snapshot.windows() != nullptr) return DllNote(facts);
  if (facts.elf == nullptr) return "";
  const binfmt::ElfFile& elf = *facts.elf;
  if (elf.problem == binfmt::ElfProblem::kTooShort) return facts.size == 0 ? "empty file" : "too short";
  if (elf.problem == binfmt::ElfProblem::kNotElf) return "not an ELF file";
  if (!elf.complete()) return "truncated";
  if (snapshot.loaders.empty()) return "";
  if (elf.bits() != snapshot.loaders.front().bits) return std::to_string(elf.bits()) + "-bit";
  if (elf.machine != snapshot.loaders.front().machine) return "for " + binfmt::MachineName(elf.machine);
  return "";
}

void AddCopies(report::LibraryAnswer& answer, const Snapshot& snapshot, FileView& view,
               const LoadGraph& graph) {
  std::vector<std::string> directories = loader::LibraryDirectories(snapshot, view);
  // The directories of this process's other libraries count as well.
  for (const Object& object : graph.objects) {
    const std::string directory(base::DirName(Absolute(snapshot, object.path)));
    if (std::ranges::find(directories, directory) == directories.end()) directories.push_back(directory);
  }
  const std::string winner = answer.resolved ? answer.resolved->real_path : "";
  for (const auto& copy : loader::FindCopies(directories, view, base::BaseName(answer.library))) {
    const bool found = std::ranges::any_of(answer.searched, [&](const report::Place& place) {
      return place.outcome == loader::Outcome::kFound &&
             place.path == copy.path;  // listed, but not loaded for another reason
    });
    if (copy.real_path == winner || found) continue;
    answer.other_copies.push_back(
        {copy.path, VersionOf(view, copy.path), CopyNote(view.Open(copy.path), snapshot)});
  }
}

// cuDNN works only if all its sub-libraries have one version; the first one loaded is the reference.
void MarkMixedCudnn(report::LoadAnswer& answer) {
  const report::Load* first = nullptr;
  std::optional<base::Version> expected;
  for (report::Load& load : answer.loads) {
    const auto* library = knowledge::FindLibrary(base::BaseName(load.path));
    if (library == nullptr || library->family != "cudnn") continue;
    auto version = base::Version::Parse(load.version.version);
    if (!version) continue;
    version->parts.resize(3);  // the fourth part is a build number that not every sub-library has
    if (first == nullptr) {
      first = &load;
      expected = version;
    } else if (*version != *expected) {
      load.problem =
          load.version.version + " meets " + first->name + " " + first->version.version + " in one process";
    }
  }
}

}  // namespace

report::LoadAnswer ExplainLoad(const LoadGraph& graph, const Snapshot& snapshot, FileView& view) {
  report::LoadAnswer answer;
  answer.target = graph.target;
  answer.interpreter = graph.interpreter;
  answer.error = graph.error;
  if (!graph.error_tells_versions) {
    for (const loader::MissingVersion& missing : graph.missing_versions)
      answer.version_errors.push_back(missing.Line());
  }
  answer.warnings = graph.warnings;
  answer.notes = graph.assumptions;
  answer.uncertain = graph.uncertain;
  if (!graph.objects.empty()) {
    if (const auto* library = LibraryOf(graph.objects.front())) {
      answer.title = library->title;
      answer.version = VersionOf(view, graph.target);
    }
  }
  for (size_t i = 1; i < graph.objects.size(); ++i) {
    const Object& object = graph.objects[i];
    const auto* library = LibraryOf(object);
    const std::string path = Absolute(snapshot, object.path);
    report::Load load{.name = object.name,
                      .path = path,
                      .real_path = object.real_path,
                      .via = object.via,
                      .requested_by = object.requester == loader::kNone
                                          ? "LD_PRELOAD"
                                          : Absolute(snapshot, graph.objects[object.requester].path),
                      .opened_by = Shown(object.opened_by),
                      .system = IsSystemLibrary(object, snapshot),
                      .parent = object.requester == loader::kNone ? 0 : object.requester};
    if (library != nullptr) {
      load.title = library->title;
      load.version = VersionOf(view, path);
    }
    answer.loads.push_back(std::move(load));
  }
  for (const loader::MissingExport& missing : graph.missing_exports) {
    answer.missing_functions.push_back({missing.function, missing.dll, missing.importer});
  }
  MarkMixedCudnn(answer);
  for (const Request& request : graph.requests) {
    if (!request.error.empty()) {
      if (request.alternative || request.opened_by == OpenedBy::kPreload) continue;
      report::MissingLibrary missing{.name = request.name,
                                     .requested_by = RequesterOf(graph, snapshot, request),
                                     .opened_by = Shown(request.opened_by),
                                     .error = request.error,
                                     .code = request.code,
                                     .optional = request.optional,
                                     .uncertain = request.uncertain,
                                     .parent = ParentOf(request)};
      auto& list = request.optional ? answer.optional_missing : answer.missing;
      const bool told = std::ranges::any_of(list, [&](const report::MissingLibrary& other) {
        return other.name == missing.name && other.requested_by == missing.requested_by;
      });
      if (!told) list.push_back(std::move(missing));
    } else if (request.object != loader::kNone) {
      answer.edges.push_back({ParentOf(request), request.object, request.opened_by == OpenedBy::kDlopen});
    }
  }
  return answer;
}

namespace {

bool WasFound(const Request& request) {
  return std::ranges::any_of(request.attempts, [](const loader::Attempt& attempt) {
    return attempt.outcome == loader::Outcome::kFound;
  });
}

// What a failed LoadLibrary did not find below the requested library: these requests follow its own.
void AddMissingBelow(report::LibraryAnswer& answer, const LoadGraph& graph, const Request& top,
                     const Snapshot& snapshot) {
  answer.code = top.code;
  for (const loader::MissingExport& missing : graph.missing_exports) {
    answer.missing_functions.push_back({missing.function, missing.dll, missing.importer});
  }
  for (const Request* request = &top + 1; request != graph.requests.data() + graph.requests.size();
       ++request) {
    if (request->opened_by != OpenedBy::kNeeded) break;
    if (request->error.empty() || WasFound(*request)) continue;
    report::MissingLibrary missing{.name = request->name,
                                   .requested_by = RequesterOf(graph, snapshot, *request),
                                   .opened_by = Shown(request->opened_by),
                                   .error = request->error,
                                   .code = request->code,
                                   .uncertain = request->uncertain};
    for (const loader::Attempt& attempt : request->attempts) {
      missing.searched.push_back(PlaceOf(attempt, snapshot));
    }
    answer.missing.push_back(std::move(missing));
  }
}

}  // namespace

report::LibraryAnswer ExplainLibrary(const Snapshot& snapshot, FileView& view,
                                     const loader::Question& question, const std::string& library,
                                     const std::string& from) {
  LoadGraph graph = loader::Load(snapshot, view, question);
  const Request* request = from.empty() ? DecidingRequest(graph, library) : nullptr;
  report::LibraryAnswer answer{.library = library, .target = question.target};
  if (request == nullptr) {
    loader::Question again = question;
    uint32_t flags = 0;
    if (snapshot.windows() != nullptr && from.empty()) {
      flags = PythonFlags(snapshot, view, question, library, answer.notes);
    }
    again.calls.push_back({library, from, flags});
    again.goes_on = true;
    graph = loader::Load(snapshot, view, again);
    request = graph.requests.empty() ? nullptr : &graph.requests.back();
    for (const Request& made : graph.requests) {
      if (made.opened_by == OpenedBy::kDlopen && made.name == library) request = &made;
    }
    if (request != nullptr && from.empty()) {
      answer.notes.push_back(question.target.empty()
                                 ? "searched as for a program on this machine without RPATH or RUNPATH"
                                 : "nothing loads " + library +
                                       "; this shows what happens if the program itself loads it with " +
                                       (graph.windows ? "LoadLibrary" : "dlopen"));
    }
  }
  answer.notes.insert(answer.notes.end(), graph.assumptions.begin(), graph.assumptions.end());
  answer.target_error = graph.error;
  answer.uncertain = graph.uncertain;
  if (request == nullptr) {
    answer.error = graph.error;
    return answer;
  }
  answer.uncertain = request->uncertain;
  answer.requested_by = RequesterOf(graph, snapshot, *request);
  answer.opened_by = Shown(request->opened_by);
  answer.error = request->error;
  if (!answer.error.empty() && answer.target_error.find(answer.error) != std::string::npos)
    answer.target_error.clear();
  if (graph.windows && !request->error.empty()) AddMissingBelow(answer, graph, *request, snapshot);
  for (const loader::Attempt& attempt : request->attempts) {
    if (WorthShowing(attempt)) answer.searched.push_back(PlaceOf(attempt, snapshot));
  }
  if (request->error.empty()) {
    const bool is_loader = request->object == loader::kNone;
    const std::string path =
        is_loader ? graph.interpreter : Absolute(snapshot, graph.objects[request->object].path);
    loader::Via via = request->via;
    if (!is_loader && request->loaded_now) via = graph.objects[request->object].via;
    answer.resolved = {path, view.RealPath(path), via, VersionOf(view, path)};
    if (answer.searched.empty())
      answer.searched.push_back(
          {.path = path, .via = loader::Via::kLoadedBefore, .outcome = loader::Outcome::kFound});
  }
  for (const Request& other : graph.requests) {
    const bool same = &other != request && other.object == request->object && other.error.empty() &&
                      request->error.empty() && request->object != loader::kNone;
    if (!same || other.alternative) continue;
    const std::string who = RequesterOf(graph, snapshot, other);
    if (who != answer.requested_by &&
        std::ranges::find(answer.also_requested_by, who) == answer.also_requested_by.end()) {
      answer.also_requested_by.push_back(who);
    }
  }
  AddCopies(answer, snapshot, view, graph);
  return answer;
}

}  // namespace culprit::why

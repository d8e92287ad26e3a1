#include "why/why.h"

#include <algorithm>

#include "base/text.h"
#include "base/windows/path.h"
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

// Windows ignores case, and adds ".dll" to a name without an extension.
bool SameLibrary(const LoadGraph& graph, const std::string& a, const std::string& b) {
  if (!graph.windows) return a == b;
  return base::SameName(a, b) || base::SameName(a, b + ".dll");
}

// The request that decided which file the name means; nullptr if nothing asked for it.
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
  // And the directories from which the process loads its other libraries.
  for (const Object& object : graph.objects) {
    const std::string directory(base::DirName(Absolute(snapshot, object.path)));
    if (std::ranges::find(directories, directory) == directories.end()) directories.push_back(directory);
  }
  const std::string winner = answer.resolved ? answer.resolved->real_path : "";
  for (const auto& copy : loader::FindCopies(directories, view, base::BaseName(answer.library))) {
    const bool found = std::ranges::any_of(answer.searched, [&](const report::Place& place) {
      return place.outcome == loader::Outcome::kFound &&
             place.path == copy.path;  // not loaded, for another reason
    });
    if (copy.real_path == winner || found) continue;
    answer.other_copies.push_back(
        {copy.path, VersionOf(view, copy.path), CopyNote(view.Open(copy.path), snapshot)});
  }
}

bool WasFound(const Request& request) {
  return std::ranges::any_of(request.attempts, [](const loader::Attempt& attempt) {
    return attempt.outcome == loader::Outcome::kFound;
  });
}

// The libraries below `top` that a failed LoadLibrary did not find: their requests follow its own.
void AddMissingBelow(report::LibraryAnswer& answer, const LoadGraph& graph, const Request& top,
                     const Snapshot& snapshot) {
  answer.code = top.code;
  answer.missing_functions = MissingFunctions(graph);
  for (const Request* request = &top + 1; request != graph.requests.data() + graph.requests.size();
       ++request) {
    if (request->opened_by != OpenedBy::kNeeded) break;
    if (request->error.empty() || WasFound(*request)) continue;
    report::MissingLibrary missing = MissingOf(graph, snapshot, *request);
    for (const loader::Attempt& attempt : request->attempts) {
      missing.searched.push_back(PlaceOf(attempt, snapshot));
    }
    answer.missing.push_back(std::move(missing));
  }
}

// Nothing in the load asks for the library, so the program or `from` opens it. Returns the new load.
LoadGraph LoadWithCall(const Snapshot& snapshot, FileView& view, loader::Question question,
                       const std::string& from, report::LibraryAnswer& answer) {
  const bool by_program = from.empty();
  const uint32_t flags = snapshot.windows() != nullptr && by_program
                             ? PythonFlags(snapshot, view, question, answer.library, answer.notes)
                             : 0;
  question.calls.push_back({answer.library, from, flags});
  question.goes_on = true;
  LoadGraph graph = loader::Load(snapshot, view, question);
  if (!graph.requests.empty() && by_program) {
    answer.notes.push_back(question.target.empty()
                               ? "searched as for a program on this machine without RPATH or RUNPATH"
                               : "nothing loads " + answer.library +
                                     "; this shows what happens if the program itself loads it with " +
                                     (graph.windows ? "LoadLibrary" : "dlopen"));
  }
  return graph;
}

// The last dlopen of that name, else the last request; nullptr if there is none.
const Request* CallFor(const LoadGraph& graph, const std::string& library) {
  const Request* found = graph.requests.empty() ? nullptr : &graph.requests.back();
  for (const Request& made : graph.requests) {
    if (made.opened_by == OpenedBy::kDlopen && made.name == library) found = &made;
  }
  return found;
}

// People ask for a library and give a program.
bool IsProgram(FileView& view, const std::string& path) {
  if (!path.starts_with('/')) return false;
  const snapshot::FileFacts& file = view.Open(path);
  return file.elf != nullptr && file.elf->interpreter.has_value();
}

void AddResolved(report::LibraryAnswer& answer, const LoadGraph& graph, const Request& request,
                 const Snapshot& snapshot, FileView& view) {
  const bool is_loader = request.object == loader::kNone;
  const std::string path =
      is_loader ? graph.interpreter : Absolute(snapshot, graph.objects[request.object].path);
  const loader::Via via = !is_loader && request.loaded_now ? graph.objects[request.object].via : request.via;
  answer.resolved = {path, view.RealPath(path), via, VersionOf(view, path)};
  if (answer.searched.empty())
    answer.searched.push_back(
        {.path = path, .via = loader::Via::kLoadedBefore, .outcome = loader::Outcome::kFound});
  if (is_loader) return;
  for (const Request& other : graph.requests) {
    if (&other == &request || other.object != request.object || !other.error.empty() || other.alternative)
      continue;
    const std::string who = RequesterOf(graph, snapshot, other);
    if (who != answer.requested_by &&
        std::ranges::find(answer.also_requested_by, who) == answer.also_requested_by.end())
      answer.also_requested_by.push_back(who);
  }
}

}  // namespace

report::LibraryAnswer ExplainLibrary(const Snapshot& snapshot, FileView& view,
                                     const loader::Question& question, const std::string& library,
                                     const std::string& from) {
  report::LibraryAnswer answer{.library = library, .target = question.target};
  LoadGraph graph = loader::Load(snapshot, view, question);
  const Request* request = from.empty() ? DecidingRequest(graph, library) : nullptr;
  if (request == nullptr) {
    graph = LoadWithCall(snapshot, view, question, from, answer);
    request = CallFor(graph, library);
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
  if (request->error.empty())
    AddResolved(answer, graph, *request, snapshot, view);
  else if (IsProgram(view, library))
    answer.notes.push_back("this is a program: `culprit why --for PROGRAM` shows what it loads");
  AddCopies(answer, snapshot, view, graph);
  return answer;
}

}  // namespace culprit::why

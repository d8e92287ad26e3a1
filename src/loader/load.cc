#include "loader/load.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "base/windows/path.h"
#include "loader/glibc/process.h"
#include "loader/glibc/symbols.h"
#include "loader/musl/musl.h"
#include "loader/process.h"
#include "loader/windows/windows.h"

namespace culprit::loader {
namespace {

// The object that a caller names by path, requested name, soname or file name; the program for "".
size_t FindCaller(const LoadGraph& graph, const std::string& from) {
  if (from.empty()) return 0;
  for (size_t i = 0; i < graph.objects.size(); ++i) {
    const Object& object = graph.objects[i];
    const bool soname = (object.elf != nullptr && object.elf->soname == from) ||
                        (graph.windows && base::SameName(base::BaseName(object.path), from));
    const bool windows = object.pe != nullptr || object.assumed;
    if (windows && (base::SameName(object.path, base::FromWindowsPath(from)) ||
                    base::SameName(base::BaseName(object.path), from))) {
      return i;
    }
    if (soname || object.path == from || object.real_path == from || object.name == from ||
        base::BaseName(object.path) == from) {
      return i;
    }
  }
  return kNone;
}

// How a labelled step ended.
struct StepResult {
  bool opened = false;
  std::string error;
  bool lacks_version = false;
  std::vector<Try> tries;
};

// The import of a framework, step by step. It ends at the first failing step that is not optional.
class Importing {
 public:
  explicit Importing(Process& process) : process_(process), graph_(process.graph()) {}

  void Run(const std::vector<ImportStep>& steps) {
    for (const ImportStep& step : steps) {
      if (!Take(step)) return;
    }
  }

 private:
  bool IsLoaded(const std::string& text) const {
    return std::ranges::any_of(
        graph_.objects, [&](const Object& object) { return object.path.find(text) != std::string::npos; });
  }

  void ChangeSearch(const ImportStep& step) {
    if (step.action == ImportStep::Action::kAddDllDirectory) {
      for (const std::string& directory : step.names) process_.AddDllDirectory(directory);
      return;
    }
    for (auto directory = step.names.rbegin(); directory != step.names.rend(); ++directory) {
      process_.PrependToPath(*directory);
    }
  }

  // False if the import is over.
  bool Take(const ImportStep& step) {
    if (!step.loaded.empty() && !IsLoaded(step.loaded)) return true;
    if (step.when != ImportStep::When::kAlways) {
      const auto before = results_.find(step.after);
      if (before == results_.end()) return true;
      if (before->second.opened != (step.when == ImportStep::When::kOpened)) return true;
      const auto mended = [&](const std::string& text) {
        return before->second.error.find(text) != std::string::npos;
      };
      if (!before->second.opened && !step.texts.empty() && std::ranges::none_of(step.texts, mended)) {
        return Stop(step, before->second, /*tried=*/false);
      }
    }
    if (step.action != ImportStep::Action::kOpen) {
      ChangeSearch(step);
      return true;
    }
    const size_t caller = FindCaller(graph_, step.from);
    if (caller == kNone) return true;  // its caller was optional and is not loaded
    StepResult result;
    for (const std::string& name : step.names) {
      const size_t begin = graph_.requests.size();
      result.opened = process_.Dlopen(name, caller, step.flags);
      if (graph_.requests.size() == begin) return false;  // the process is dead
      result.tries.push_back({begin, graph_.requests.size()});
      result.error = graph_.requests[begin].error;
      result.lacks_version = graph_.requests[begin].missing_version.has_value();
      if (result.opened) break;
    }
    if (step.names.empty()) result.error = "no such file: " + step.wanted;
    if (!result.tries.empty()) MarkAlternatives(graph_.requests, result.tries, step.optional);
    const bool goes_on = result.opened || step.optional;
    if (!step.label.empty()) results_.insert_or_assign(step.label, result);
    return goes_on || Stop(step, result, !step.names.empty());
  }

  // A failure was tolerated because a later step would recover from it, but that did not happen; a retry
  // reports its own error.
  bool Stop(const ImportStep& step, const StepResult& result, bool tried) {
    graph_.import_error = result.error;
    graph_.import_lacks_version = result.lacks_version;
    if (tried) return false;
    const auto before = results_.find(step.after);
    if (before == results_.end() || step.when != ImportStep::When::kFailed) return false;
    for (const Try& one : before->second.tries) {
      for (size_t i = one.begin; i < one.end; ++i) graph_.requests[i].optional = false;
    }
    return false;
  }

  Process& process_;
  LoadGraph& graph_;
  std::map<std::string, StepResult> results_;
};

template <typename Model>
LoadGraph Run(Model process, snapshot::FileView& view, const Question& question,
              bool all_bound_at_load = false) {
  view.WillAskForAllSymbols(question.symbols);
  process.Start();
  LoadGraph& graph = process.graph();
  graph.bound_at_load = {.all = all_bound_at_load, .begin = graph.objects.size()};
  Importing(process).Run(question.imports);
  graph.bound_at_load.end = graph.objects.size();  // Python imports with RTLD_NOW
  if (question.names_inside) FollowNamesInside(process, view);
  if (question.known_dlopens) {
    FollowKnownDlopens(process, view);
    process.FollowDelayImports();
  }
  for (const DlopenCall& call : question.calls) {
    const size_t caller = FindCaller(graph, call.from);
    if (caller == kNone) {
      graph.requests.push_back({.name = call.name,
                                .opened_by = OpenedBy::kDlopen,
                                .error = call.from + " is not loaded, so it cannot open " + call.name});
      continue;
    }
    process.Dlopen(call.name, caller, call.flags);
    if (question.known_dlopens) process.FollowDelayImports();
  }
  view.WillAskForAllSymbols(false);
  if (question.symbols) CompareSymbols(graph, view);
  return std::move(graph);
}

// conda's Python passes these to Windows itself (conda-forge/python-feedstock, patch 0007).
void AddCondaDirectories(snapshot::FileView& view, Question& question) {
  const std::string prefix(base::DirName(question.target));
  const std::string program = base::FoldCase(base::BaseName(question.target));
  if (!program.starts_with("python") || view.Directory(prefix + "/conda-meta") != base::PathError::kNone)
    return;
  ImportStep step{.action = ImportStep::Action::kAddDllDirectory};
  for (const char* below : {"Library/mingw-w64/bin", "Library/usr/bin", "Library/bin", "Scripts", "bin"}) {
    step.names.push_back(base::JoinPath(prefix, below));
  }
  question.imports.insert(question.imports.begin(), std::move(step));
}

// A program loads a DLL: a Python module as Python does it, any other by its full path and with its own
// directory searched.
LoadGraph LoadOnWindows(const snapshot::Snapshot& snapshot, snapshot::FileView& view,
                        const Question& question) {
  Question hosted = question;
  const auto& pe = view.Open(question.target).pe;
  const bool dll = !question.target.empty() && pe != nullptr && pe->dll;
  if (dll || !question.interpreter.empty()) hosted.target = question.interpreter;
  if (dll) {
    const bool module = base::FoldCase(question.target).ends_with(".pyd") || !question.interpreter.empty();
    const uint32_t flags = module ? kSearchDefaultDirs | kSearchDllLoadDir : kAlteredSearchPath;
    hosted.imports.insert(hosted.imports.begin(), {.flags = flags, .names = {question.target}});
  }
  AddCondaDirectories(view, hosted);
  LoadGraph graph = Run(WindowsProcess(snapshot, view, hosted), view, hosted);
  graph.target = question.target;
  graph.interpreter = hosted.target == question.target ? "" : hosted.target;
  if (dll && graph.error.empty()) graph.error = graph.import_error;
  if (dll && hosted.target.empty()) {
    graph.assumptions.push_back(
        "a DLL alone, so culprit assumes that some 64-bit program loads it by its full path "
        "(LOAD_WITH_ALTERED_SEARCH_PATH)");
  }
  return graph;
}

}  // namespace

void CompareSymbols(LoadGraph& graph, snapshot::FileView& view) {
  if (graph.windows) return;
  FindMissingSymbols(graph, view);
  FindUndefinedSymbols(graph, view);
}

LoadGraph Load(const snapshot::Snapshot& snapshot, snapshot::FileView& view, const Question& question) {
  if (snapshot.windows() != nullptr) return LoadOnWindows(snapshot, view, question);
  std::string interpreter = question.interpreter;
  if (!question.target.empty()) {
    const snapshot::FileFacts& file = view.Open(question.target);
    if (file.elf != nullptr && file.elf->interpreter) interpreter = *file.elf->interpreter;
  }
  const snapshot::LoaderFacts* facts = snapshot.FindLoader(interpreter);
  if (facts == nullptr) {
    LoadGraph graph{.target = question.target, .interpreter = interpreter, .uncertain = true};
    graph.error = "unknown loader " + interpreter;
    return graph;
  }
  if (facts->flavor == snapshot::LoaderFlavor::kMusl) {
    return Run(MuslProcess(snapshot, view, question, *facts), view, question, /*all_bound_at_load=*/true);
  }
  const bool at_once = !base::ValueOf(snapshot.environment, "LD_BIND_NOW").empty();
  return Run(GlibcProcess(snapshot, view, question, *facts), view, question, at_once);
}

}  // namespace culprit::loader

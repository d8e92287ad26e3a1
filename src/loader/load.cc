#include "loader/load.h"

#include "base/text.h"
#include "loader/glibc_process.h"
#include "loader/musl.h"
#include "loader/process.h"

namespace culprit::loader {
namespace {

// The object that a caller names by path, requested name, soname or file name; the program for "".
size_t FindCaller(const LoadGraph& graph, const std::string& from) {
  if (from.empty()) return 0;
  for (size_t i = 0; i < graph.objects.size(); ++i) {
    const Object& object = graph.objects[i];
    const bool soname = object.elf != nullptr && object.elf->soname == from;
    if (soname || object.path == from || object.real_path == from || object.name == from ||
        base::BaseName(object.path) == from) {
      return i;
    }
  }
  return kNone;
}

// An import stops at the first step that fails and is not optional.
void Import(Process& process, const std::vector<ImportStep>& steps) {
  LoadGraph& graph = process.graph();
  for (const ImportStep& step : steps) {
    const size_t caller = FindCaller(graph, step.from);
    if (caller == kNone) continue;  // its caller was optional and is not there
    std::vector<Try> tries;
    bool opened = false;
    for (const std::string& name : step.names) {
      const size_t begin = graph.requests.size();
      opened = process.Dlopen(name, caller);
      if (graph.requests.size() == begin) return;  // the process is dead
      tries.push_back({begin, graph.requests.size()});
      if (opened) break;
    }
    if (!tries.empty()) MarkAlternatives(graph.requests, tries, step.optional);
    if (!opened && !step.optional) return;
  }
}

template <typename Model>
LoadGraph Run(Model process, snapshot::FileView& view, const Question& question) {
  process.Start();
  LoadGraph& graph = process.graph();
  Import(process, question.imports);
  if (question.known_dlopens) FollowKnownDlopens(process, view);
  for (const DlopenCall& call : question.calls) {
    const size_t caller = FindCaller(graph, call.from);
    if (caller == kNone) {
      graph.requests.push_back({.name = call.name,
                                .opened_by = OpenedBy::kDlopen,
                                .error = call.from + " is not loaded, so it cannot open " + call.name});
      continue;
    }
    process.Dlopen(call.name, caller);
  }
  return std::move(graph);
}

}  // namespace

LoadGraph Load(const snapshot::Snapshot& snapshot, snapshot::FileView& view, const Question& question) {
  std::string interpreter = question.interpreter;
  if (!question.target.empty()) {
    const snapshot::FileFacts& file = view.Open(question.target);
    if (file.elf != nullptr && file.elf->interpreter) interpreter = *file.elf->interpreter;
  }
  const snapshot::LoaderFacts* facts = snapshot.FindLoader(interpreter);
  if (facts == nullptr) {
    LoadGraph graph{.target = question.target, .interpreter = interpreter, .uncertain = true};
    graph.error = "not enough facts: nothing is known about the loader " + interpreter;
    return graph;
  }
  if (facts->flavor == snapshot::LoaderFlavor::kMusl) {
    return Run(MuslProcess(snapshot, view, question, *facts), view, question);
  }
  return Run(GlibcProcess(snapshot, view, question, *facts), view, question);
}

}  // namespace culprit::loader

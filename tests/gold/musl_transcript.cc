// See musl_transcript.h.
#include "musl_transcript.h"

#include <sys/wait.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "open_tracer.h"

namespace culprit::gold {
namespace {

using loader::kNone;
using loader::OpenedBy;

// When the program runs, $ORIGIN is its real location; when it is listed, it is the given name.
bool OriginDiffers(const Tree& tree) {
  return !tree.start.starts_with('/') || std::filesystem::is_symlink(tree.start);
}

void Shorten(Transcript& transcript, const std::string& root) {
  for (auto* lines : {&transcript.searches, &transcript.loaded, &transcript.messages, &transcript.trace})
    for (std::string& line : *lines) ReplaceAll(line, root, "@");
  std::ranges::sort(transcript.messages);
}

std::string Shown(const std::string& path, const Tree& tree) {
  return path.empty() || path == tree.start || path == StartPath(tree) ? "<program>" : path;
}

std::vector<std::string> List(const std::string& interpreter, const Tree& tree) {
  const Ran ran =
      Spawn(interpreter, interpreter, {"--list", tree.start}, tree.environment, tree.working_directory);
  if (WIFSIGNALED(ran.status)) return {"trace killed by signal " + std::to_string(WTERMSIG(ran.status))};
  std::vector<std::string> lines;
  for (std::string line : Lines(ran.out)) {
    line = line.substr(line.find_first_not_of('\t'));
    if (const size_t address = line.rfind(" (0x"); address != std::string::npos) line.resize(address);
    const size_t arrow = line.find(" => ");
    if (arrow == std::string::npos || line.substr(arrow + 4) == interpreter) continue;
    lines.push_back("trace " + line);
  }
  return lines;
}

}  // namespace

Truth AskMusl(const RealLoader& loader, const Tree& tree, const std::string& root) {
  const std::string& interpreter = loader.traits.interpreter;
  const TracedRun traced =
      SpawnTraced(tree.start, tree.start, tree.calls, tree.environment, tree.working_directory);
  Truth truth;
  if (traced.ran.timed_out) {
    truth.problem = "the program did not end";
    return truth;
  }
  auto& lines = truth.transcript.searches;
  auto open = traced.opens.begin();
  const auto add_opens = [&](size_t before) {
    for (; open != traced.opens.end() && open->events <= before; ++open)
      if (open->path.find("/etc/ld-musl-") == std::string::npos) lines.push_back("open " + open->path);
  };
  size_t at = 0;
  for (const std::string& line : Lines(traced.ran.events)) {
    add_opens(at);
    at += line.size() + 1;
    const auto fields = base::Split(line, '\t');
    if (fields[0] == "D" && fields.size() == 3) {
      truth.calls.push_back({fields[1], fields[2]});
      lines.push_back("dlopen " + fields[2] + " by " + Shown(fields[1], tree));
    } else if (fields[0] == "R" && fields.size() >= 3) {
      lines.push_back(fields[1] == "ok" ? "  opened " + Shown(fields[2], tree)
                                        : "  error " + line.substr(line.find('\t', 2) + 1));
    } else if (fields[0] == "L" && fields.size() == 2 && !fields[1].empty() && fields[1] != tree.start &&
               fields[1] != interpreter) {
      truth.transcript.loaded.push_back("loaded " + fields[1]);
    }
  }
  add_opens(SIZE_MAX);
  for (const std::string& line : Lines(traced.ran.err)) truth.transcript.messages.push_back("stderr " + line);
  if (WIFSIGNALED(traced.ran.status))
    truth.transcript.messages.push_back("killed by signal " + std::to_string(WTERMSIG(traced.ran.status)));
  if (!OriginDiffers(tree)) truth.transcript.trace = List(interpreter, tree);
  Shorten(truth.transcript, root);
  return truth;
}

Transcript FromMuslGraph(const loader::LoadGraph& graph, const Tree& tree, const std::string& root) {
  Transcript result;
  const auto path_of = [&](size_t object) {
    return object == kNone ? graph.interpreter : Shown(graph.objects[object].path, tree);
  };
  const loader::Request* call = nullptr;
  const auto end_call = [&] {
    if (call == nullptr) return;
    const bool failed = call->object == kNone && !call->error.empty();
    if (!failed || call->error.find("SIGBUS") == std::string::npos)
      result.searches.push_back(failed ? "  error " + call->error : "  opened " + path_of(call->object));
    call = nullptr;
  };
  bool starting = true;
  for (const auto& request : graph.requests) {
    if (request.opened_by == OpenedBy::kDlopen) {
      end_call();
      starting = false;
      call = &request;
      result.searches.push_back("dlopen " + request.name + " by " + path_of(request.requester));
    }
    for (const auto& attempt : request.attempts) result.searches.push_back("open " + attempt.path);
    if (starting && request.loaded_now)
      result.trace.push_back("trace " + request.name + " => " + path_of(request.object));
  }
  end_call();
  const bool killed = graph.error.find("SIGBUS") != std::string::npos;
  if (graph.error.empty())
    for (size_t i = 1; i < graph.objects.size(); ++i)
      result.loaded.push_back("loaded " + graph.objects[i].path);
  if (killed) result.messages.push_back("killed by signal 7");
  for (const std::string& line : Lines(graph.error))
    if (line.find("SIGBUS") == std::string::npos) result.messages.push_back("stderr " + line);
  if (killed && starting) result.trace = {"trace killed by signal 7"};
  if (OriginDiffers(tree)) result.trace.clear();
  Shorten(result, root);
  return result;
}

}  // namespace culprit::gold

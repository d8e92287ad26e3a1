// A model's graph as a transcript, and the difference between two transcripts.
#include <algorithm>

#include "child.h"
#include "loader/load.h"
#include "transcript.h"

namespace culprit::gold {
namespace {

using loader::kNone;
using loader::OpenedBy;
using loader::Request;
using loader::Via;

constexpr std::string_view kRelr = ": DT_RELR without GLIBC_ABI_DT_RELR dependency";

bool Failed(const Request& request) { return request.object == kNone && !request.error.empty(); }

// The loader's search found nothing, and nothing worse happened: ldd's mode continues after that.
bool NotFound(const Request& request) {
  return Failed(request) && (request.error.find(": cannot open shared object file") != std::string::npos ||
                             request.error.find(": wrong ELF class: ") != std::string::npos);
}

class GraphReader {
 public:
  GraphReader(const loader::LoadGraph& graph, const Tree& tree, const std::string& root)
      : graph_(graph), tree_(tree), root_(root) {}

  Transcript Read() {
    const auto& requests = graph_.requests;
    size_t start_end = 0;
    while (start_end < requests.size() && requests[start_end].opened_by != OpenedBy::kDlopen) ++start_end;
    for (size_t i = 0; i < start_end; ++i) {
      Trace(requests[i]);
      if (died_) continue;  // the model continues where the real loader gives up
      AddSearch(requests[i], /*in_failed_call=*/false);
      died_ = requests[i].opened_by == OpenedBy::kNeeded && Failed(requests[i]) && !requests[i].optional;
    }
    for (size_t i = start_end; i < requests.size();) {
      size_t end = i + 1;
      while (end < requests.size() && requests[end].opened_by != OpenedBy::kDlopen) ++end;
      AddCall(i, end);
      i = end;
    }
    Messages();
    // Noticed when versions are checked, before the list is printed.
    if (graph_.error.find(kRelr) != std::string::npos) result_.trace = {"trace " + graph_.error};
    if (HasFilters(tree_)) result_.trace.clear();
    for (auto* lines : {&result_.searches, &result_.loaded, &result_.messages, &result_.trace})
      for (std::string& line : *lines) ReplaceAll(line, root_, "@");
    std::ranges::sort(result_.messages);
    return std::move(result_);
  }

 private:
  std::string PathOf(size_t object) const {
    if (object == kNone) return "<loader>";
    return object == 0 ? "<program>" : graph_.objects[object].path;
  }
  static std::string Stage(const Request& request) {
    return std::string(loader::Name(request.attempts.empty() ? request.via : request.attempts.back().via));
  }

  void AddCall(size_t first, size_t end) {
    const Request& call = graph_.requests[first];
    result_.searches.push_back("dlopen " + call.name + " by " + PathOf(call.requester));
    const bool failed = Failed(call);
    for (size_t i = first; i < end; ++i) AddSearch(graph_.requests[i], failed);
    if (failed && Crashed(call.error)) return;
    result_.searches.push_back(failed ? "  error " + call.error : "  opened " + PathOf(call.object));
  }

  static bool Crashed(const std::string& error) {
    return error.find(": file is cut short") != std::string::npos;
  }

  void AddSearch(const Request& request, bool in_failed_call) {
    if (request.via == Via::kLoadedBefore && request.attempts.empty()) return;
    const std::string requester =
        request.opened_by == OpenedBy::kPreload ? "<program>" : PathOf(request.requester);
    auto& lines = result_.searches;
    lines.push_back("search " + request.name + (in_failed_call ? "" : " for " + requester));
    for (const auto& attempt : request.attempts)
      if (attempt.via != Via::kPath && attempt.outcome != loader::Outcome::kRefused)
        lines.push_back("  " + std::string(loader::Name(attempt.via)) + " " + attempt.path);
    if (!in_failed_call) {
      lines.push_back(Failed(request)      ? "  nothing"
                      : request.loaded_now ? "  found " + PathOf(request.object)
                                           : "  same as " + PathOf(request.object));
    }
    if (request.loaded_now && request.object != kNone) AddLoaded(request, requester);
  }

  // The object and the request that loaded it must agree.
  void AddLoaded(const Request& request, const std::string& requester) {
    const auto& object = graph_.objects[request.object];
    const Via via = request.opened_by == OpenedBy::kPreload ? Via::kLdPreload : request.via;
    std::string line = "loaded " + object.path + " via " + Stage(request) + " for " + requester;
    if (object.via != via) line += ", but the object says via " + std::string(loader::Name(object.via));
    if (object.requester != request.requester) line += ", but the object names another requester";
    if (object.opened_by != request.opened_by) line += ", but the object was opened otherwise";
    if (request.object != ++last_object_) line += ", out of order";
    result_.loaded.push_back(line);
  }

  // The loader puts such an object before the program in its list, and lists only what comes after.
  bool IsFilterOfProgram(const Request& request) const {
    if (request.opened_by != OpenedBy::kNeeded || request.requester != 0) return false;
    return std::ranges::any_of(graph_.objects[0].elf->requests, [&](const binfmt::ElfRequest& asked) {
      return asked.kind != binfmt::ElfRequest::Kind::kNeeded && asked.name == request.name;
    });
  }

  void Trace(const Request& request) {
    auto& trace = result_.trace;
    if (trace_ended_ || IsFilterOfProgram(request)) return;
    if (NotFound(request)) {
      if (request.opened_by == OpenedBy::kNeeded) trace.push_back("trace " + request.name + " => not found");
    } else if (Failed(request) && Crashed(request.error)) {
      trace = {"trace killed by signal 7"};
      trace_ended_ = true;
    } else if (Failed(request) && request.opened_by == OpenedBy::kNeeded && !request.optional) {
      trace = {"trace " + tree_.start + ": error while loading shared libraries: " + request.error};
      trace_ended_ = true;
    } else if (request.loaded_now) {
      trace.push_back("trace " + request.name + " => " + PathOf(request.object));
    }
  }

  void Messages() {
    auto& messages = result_.messages;
    std::vector<std::string> versions;  // what ldd's mode says about symbol versions
    for (const loader::MissingVersion& missing : graph_.missing_versions)
      versions.push_back("trace says " + tree_.start + ": " + missing.Line());
    for (const std::string& warning : graph_.warnings) {
      const bool preload = warning.starts_with("ERROR: ld.so: ");
      const std::string line = preload ? warning : tree_.start + ": " + warning;
      if (!preload) versions.push_back("trace says " + line);
      if (preload || !died_) messages.push_back("stderr " + line);
    }
    std::ranges::sort(versions);
    if (!trace_ended_) result_.trace.insert(result_.trace.end(), versions.begin(), versions.end());
    static const std::string kKilled = "; the process is killed by SIGBUS";
    if (graph_.error.ends_with(kKilled)) {
      messages.push_back("killed by signal 7");
      return;
    }
    if (graph_.error.ends_with(": the loader runs out of stack, SIGSEGV")) {
      messages.push_back("killed by signal 11");
      return;
    }
    if (graph_.error.find(kRelr) != std::string::npos)  // printed in the same check, before it
      for (const loader::MissingVersion& missing : graph_.missing_versions)
        messages.push_back("stderr " + tree_.start + ": " + missing.Line());
    for (const std::string& line : Lines(graph_.error)) messages.push_back("stderr " + line);
  }

  const loader::LoadGraph& graph_;
  const Tree& tree_;
  const std::string& root_;
  Transcript result_;
  size_t last_object_ = 0;
  bool died_ = false;  // at start-up
  bool trace_ended_ = false;
};

// Longest common subsequence; transcripts are short.
void Compare(const std::vector<std::string>& real, const std::vector<std::string>& model, std::string& text) {
  if (real == model) return;
  const size_t n = real.size(), m = model.size();
  std::vector<std::vector<size_t>> common(n + 1, std::vector<size_t>(m + 1));
  for (size_t i = n; i-- > 0;)
    for (size_t j = m; j-- > 0;)
      common[i][j] =
          real[i] == model[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
  std::vector<std::string> lines;
  for (size_t i = 0, j = 0; i < n || j < m;) {
    if (i < n && j < m && real[i] == model[j]) {
      lines.push_back("    " + real[i++]);
      ++j;
    } else if (j >= m || (i < n && common[i + 1][j] >= common[i][j + 1])) {
      lines.push_back("  - " + real[i++]);
    } else {
      lines.push_back("  + " + model[j++]);
    }
  }
  // Shows equal lines only near a difference, plus the line that says what a block is about.
  constexpr size_t kNear = 4;
  const auto differs = [&](size_t i) { return i < lines.size() && lines[i][2] != ' '; };
  for (size_t i = 0; i < lines.size(); ++i) {
    bool shown = lines[i][4] != ' ';
    for (size_t k = 0; k <= kNear && !shown; ++k) shown = differs(i + k) || (i >= k && differs(i - k));
    if (shown) text += lines[i] + "\n";
  }
}

}  // namespace

Transcript FromGraph(const loader::LoadGraph& graph, const Tree& tree, const std::string& root) {
  return GraphReader(graph, tree, root).Read();
}

std::vector<std::string> TraceOf(const loader::LoadGraph& graph, const std::string& start) {
  Tree tree;
  tree.start = start;
  return GraphReader(graph, tree, "").Read().trace;
}

std::string Difference(const Transcript& real, const Transcript& model) {
  std::string text;
  // Circular filters: the real loader recurses until its stack overflows.
  static const std::string kOverflow = "killed by signal 11";
  const bool overflow = std::ranges::find(real.messages, kOverflow) != real.messages.end() &&
                        std::ranges::find(model.messages, kOverflow) != model.messages.end();
  if (!overflow) Compare(real.searches, model.searches, text);
  Compare(real.loaded, model.loaded, text);
  Compare(real.messages, model.messages, text);
  // After a missing library the model has no message left for this one.
  const bool second_error = real.trace.size() == 1 && real.trace[0].find(kRelr) != std::string::npos &&
                            std::ranges::any_of(model.messages, [](const std::string& line) {
                              return line.find(": cannot open shared object file") != std::string::npos;
                            });
  if (!second_error) Compare(real.trace, model.trace, text);
  return text;
}

}  // namespace culprit::gold

// Failed requests of a watched process. The record has the loader's message only if the program printed it;
// otherwise it is composed as glibc does.
#include <algorithm>
#include <set>
#include <span>

#include "base/text.h"
#include "knowledge/libraries.h"
#include "loader/library_copies.h"
#include "loader/observed/parts.h"

namespace culprit::loader {
namespace {

constexpr size_t kMostRequests = 20000;
constexpr size_t kMostAttempts = 4096;

Attempt AttemptOf(Seen& seen, const record::Attempt& recorded, size_t requester) {
  Attempt attempt{.path = recorded.path, .via = recorded.via.value_or(Via::kUnknown)};
  attempt.outcome = recorded.outcome ? *recorded.outcome : OutcomeOfFile(seen.view.Open(recorded.path));
  if (attempt.via == Via::kRpath || attempt.via == Via::kRunpath)
    attempt.origin = RunPathOrigin(seen.scenario.graph, requester, attempt.path, attempt.via);
  attempt.in_missing_directory =
      attempt.outcome == Outcome::kMissing && recorded.path.starts_with('/') &&
      seen.view.Directory(std::string(base::DirName(recorded.path))) == base::PathError::kNoEntry;
  return attempt;
}

// The loader's message for a failed search; if a file ended the search, the message for that file.
std::string Words(const std::string& name, const std::vector<Attempt>& attempts) {
  for (const Attempt& attempt : attempts) {
    switch (attempt.outcome) {
      case Outcome::kEmptyFile:
      case Outcome::kTooShort:
        return attempt.path + ": file too short";
      case Outcome::kNotElf:
        return attempt.path + ": invalid ELF header";
      case Outcome::kIsDirectory:
        return attempt.path + ": cannot read file data: Is a directory";
      default:
        break;
    }
  }
  const auto any = [&](Outcome outcome) {
    return std::ranges::any_of(attempts, [&](const Attempt& a) { return a.outcome == outcome; });
  };
  if (any(Outcome::kWrongClass)) return name + ": wrong ELF class";
  const bool refused = !attempts.empty() && attempts.back().outcome == Outcome::kNotReadable;
  return name +
         ": cannot open shared object file: " + (refused ? "Permission denied" : "No such file or directory");
}

class Failures {
 public:
  explicit Failures(Seen& seen) : seen_(seen), graph_(seen.scenario.graph) {}

  void Add(const record::Request& failed) {
    const size_t requester = seen_.Find(failed.requester);
    const record::Loaded* gone = requester == kNone ? FindGone(failed.requester) : nullptr;
    const bool starting = !failed.dlopen && gone == nullptr;
    Request request{.name = failed.name,
                    .requester = requester,
                    .opened_by = failed.dlopen ? OpenedBy::kDlopen : OpenedBy::kNeeded};
    for (const record::Attempt& attempt : failed.attempts) {
      if (request.attempts.size() >= kMostAttempts) break;
      request.attempts.push_back(AttemptOf(seen_, attempt, requester));
    }
    request.error = failed.error.empty() ? Words(failed.name, request.attempts) : failed.error;
    request.missing_version = ReadMissingVersion(failed.error);
    request.uncertain = std::ranges::any_of(
        request.attempts, [](const Attempt& a) { return a.outcome == Outcome::kNotRecorded; });
    bool optional = failed.error.empty() && !starting;
    if (requester == kNone) request.requester_path = failed.requester;
    if (gone != nullptr) {
      const bool needed = AddCallOf(*gone, request, failed.error);
      optional = optional && !needed;
    } else if (optional && requester != kNone) {
      optional = !Needs(graph_.objects[requester], request);
    }
    request.optional = optional;
    request.alternative = CameLater(failed.name);
    if (starting && graph_.error.empty() && !request.alternative) {
      graph_.error = seen_.process.program + ": error while loading shared libraries: " + request.error;
    }
    NoteImport(failed, gone, request);
    graph_.requests.push_back(std::move(request));
  }

 private:
  const record::Loaded* FindGone(const std::string& path) const {
    const auto& loads = seen_.process.loads;
    const auto found = std::ranges::find(loads, path, &record::Loaded::path);
    return path.empty() || found == loads.end() ? nullptr : &*found;
  }

  // A library could be mapped, but not its dependency: then the dlopen that started it failed too. It gets a
  // request, before those below it. True if its caller cannot work without it.
  bool AddCallOf(const record::Loaded& gone, const Request& below, const std::string& printed) {
    const record::Loaded* call = &gone;
    for (size_t steps = 0; !call->dlopen && steps < seen_.process.loads.size(); ++steps) {
      const record::Loaded* above = FindGone(call->requester);
      if (above == nullptr || above == call || seen_.Find(call->requester) != kNone) break;
      call = above;
    }
    const size_t requester = seen_.Find(call->requester);
    Request request{.name = call->name.empty() ? call->path : call->name,
                    .requester = requester,
                    .opened_by = OpenedBy::kDlopen,
                    .via = call->via.value_or(Via::kUnknown),
                    .error = below.error,
                    .missing_version = below.missing_version};
    request.attempts.push_back(
        {.path = call->path, .via = request.via, .outcome = Outcome::kFound, .origin = {}});
    if (requester == kNone) request.requester_path = call->requester;
    const bool needed = !printed.empty() || (requester != kNone && Needs(graph_.objects[requester], request));
    if (!calls_.insert(call->path).second) return needed;
    request.optional = !needed;
    request.alternative = CameLater(request.name);
    graph_.requests.push_back(std::move(request));
    return needed;
  }

  // By the table: the caller is known to open this and to need it, and got no other name of it.
  bool Needs(const Object& caller, const Request& request) const {
    const knowledge::Library* library = LibraryOf(caller);
    if (library == nullptr || request.opened_by != OpenedBy::kDlopen) return false;
    const KnownOpen open =
        FindKnownOpen(graph_.windows ? library->opens_windows : library->opens, base::BaseName(request.name));
    if (!open.known || open.optional) return false;
    return std::ranges::none_of(open.patterns, [&](const std::string& pattern) {
      return std::ranges::any_of(graph_.objects, [&](const Object& object) {
        return base::MatchesPattern(pattern, object.name) ||
               base::MatchesPattern(pattern, base::BaseName(object.path));
      });
    });
  }

  // It was found later, for another requester or at a second try.
  bool CameLater(const std::string& name) const {
    if (seen_.objects.contains(name)) return true;
    return name.find('/') == std::string::npos &&
           std::ranges::any_of(graph_.objects, [&](const Object& object) {
             return object.name == name || (object.elf != nullptr && object.elf->soname == name);
           });
  }

  // An import that ended there: the loader's message was printed, and a file of the framework was requested.
  void NoteImport(const record::Request& failed, const record::Loaded* gone, const Request& request) {
    if (failed.error.empty() || seen_.scenario.framework == kNone || request.alternative) return;
    const auto& environment = (*seen_.snapshot.stack.environments)[seen_.scenario.environment];
    const std::string inside = environment.frameworks[seen_.scenario.framework].directory + "/";
    const bool own = failed.name.starts_with(inside) || (gone != nullptr && gone->path.starts_with(inside));
    if (!own || !graph_.import_error.empty()) return;
    graph_.import_error = failed.error;
    graph_.import_lacks_version = request.missing_version.has_value();
  }

  Seen& seen_;
  LoadGraph& graph_;
  std::set<std::string> calls_;
};

// "libcudnn_ops.so.{major}" -> "libcudnn_ops.so.*"
std::string AsPattern(std::string_view text) {
  std::string pattern;
  bool inside = false;
  for (const char c : text) {
    if (c == '{') pattern += '*';
    inside = c == '{' || (inside && c != '}');
    if (!inside && c != '}') pattern += c;
  }
  return pattern;
}

}  // namespace

KnownOpen FindKnownOpen(std::span<const knowledge::DlopenEdge> edges, std::string_view name) {
  for (const knowledge::DlopenEdge& edge : edges) {
    KnownOpen open{.optional = edge.optional};
    for (const std::string_view text : edge.names) {
      std::string pattern = AsPattern(base::BaseName(text));
      open.known |= base::MatchesPattern(pattern, name);
      open.patterns.push_back(std::move(pattern));
    }
    if (open.known) return open;
  }
  return {};
}

void AddFailures(Seen& seen) {
  Failures failures(seen);
  size_t count = 0;
  for (const record::Request& failed : seen.process.failed_requests) {
    if (++count > kMostRequests) return;
    if (!failed.name.empty()) failures.Add(failed);
  }
}

}  // namespace culprit::loader

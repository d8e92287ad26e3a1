// Two runs of a command: how they ended, the first CUDA call that fails now, the first load from another
// place, and names that are no longer found.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "diff/parts.h"

namespace culprit::diff {
namespace {

using record::Run;

std::string EndOf(const Run& run) {
  if (!run.interrupted.empty()) return "interrupted by " + run.interrupted;
  return run.signal.empty() ? fmt::format("exit status {}", run.exit_status) : "killed by " + run.signal;
}

std::string CommandOf(const Run& run) {
  std::string text;
  for (const std::string& word : run.command) text += (text.empty() ? "" : " ") + word;
  return text;
}

const record::FailedCall* FirstFailure(const Run& run) {
  const record::FailedCall* first = nullptr;
  for (const record::Process& process : run.processes) {
    for (const record::FailedCall& call : process.failed_calls) {
      if (first == nullptr || call.at < first->at) first = &call;
    }
  }
  return first;
}

std::string Shown(const record::FailedCall* call) {
  if (call == nullptr) return "none";
  return call->function + " gives " + (call->status.empty() ? std::to_string(call->code) : call->status);
}

std::string RealPath(const record::Loaded& load) {
  return load.real_path.empty() ? Plainly(load.path) : load.real_path;
}

void BlameForLoad(Parts& parts, const std::vector<std::string>& files, std::optional<base::Via> via) {
  const size_t effect = parts.list.size() - 1;
  if (via == base::Via::kLdLibraryPath)
    parts.Explain(effect, parts.Find(report::DifferenceKind::kVariable, {"LD_LIBRARY_PATH"}));
  if (via == base::Via::kLdPreload)
    parts.Explain(effect, parts.Find(report::DifferenceKind::kVariable, {"LD_PRELOAD"}));
  parts.Explain(effect, parts.Find(report::DifferenceKind::kFile, files));
  if (via == base::Via::kCache)
    parts.Explain(effect, parts.Find(report::DifferenceKind::kLoader, {"/etc/ld.so.cache"}));
  for (const std::string& file : files)
    parts.Explain(effect, parts.Find(report::DifferenceKind::kPackage, {OwnerOf(parts, file)}));
}

// In load order, for the corresponding processes of both runs: by name, because a new library shifts all
// later ones.
void AddProcess(Parts& parts, const record::Process& before, const record::Process& after) {
  std::map<std::string_view, const record::Loaded*> was;
  for (const record::Loaded& load : before.loads) was.emplace(base::BaseName(load.path), &load);
  bool first = true;
  for (const record::Loaded& load : after.loads) {
    const auto found = was.find(base::BaseName(load.path));
    if (found == was.end() || RealPath(*found->second) == RealPath(load)) continue;
    const std::string name(found->first);
    parts.Add({.kind = report::DifferenceKind::kRun,
               .subject = name,
               .summary = fmt::format("{}{} was loaded from {} instead of {}",
                                      first ? "first load that differs: " : "", name,
                                      base::DirName(RealPath(load)), base::DirName(RealPath(*found->second))),
               .before = RealPath(*found->second),
               .after = RealPath(load),
               .suspicion = first ? 74 : 60},
              {Plainly(load.path), RealPath(load), RealPath(*found->second), name});
    BlameForLoad(parts, {RealPath(load), RealPath(*found->second)}, load.via);
    first = false;
  }
  for (const record::Request& request : after.failed_requests) {
    const bool failed_before = std::ranges::any_of(
        before.failed_requests, [&](const record::Request& other) { return other.name == request.name; });
    if (failed_before) continue;
    std::vector<std::string> files;
    if (const auto found = was.find(base::BaseName(request.name)); found != was.end())
      files.push_back(RealPath(*found->second));
    for (const record::Attempt& attempt : request.attempts) files.push_back(Plainly(attempt.path));
    std::vector<std::string> names = files;
    names.insert(names.begin(), std::string(base::BaseName(request.name)));
    const bool was_loaded = was.contains(base::BaseName(request.name));
    parts.Add({.how = was_loaded ? report::Differs::kRemoved : report::Differs::kAdded,
               .kind = report::DifferenceKind::kRun,
               .subject = request.name,
               .summary = request.name + (was_loaded ? " was no longer found" : " was not found") +
                          (request.requester.empty() ? "" : ", needed by " + request.requester),
               .before = was_loaded ? "loaded" : "not needed",
               .after = "not found",
               .suspicion = was_loaded ? 82 : 64},
              std::move(names));
    BlameForLoad(parts, files, std::nullopt);
  }
}

}  // namespace

void AddRuns(Parts& parts) {
  if (parts.before.run == nullptr || parts.after.run == nullptr) return;
  const Run &before = *parts.before.run, &after = *parts.after.run;
  if (CommandOf(before) != CommandOf(after))
    parts.remarks.push_back("different commands: \"" + CommandOf(before) + "\" and \"" + CommandOf(after) +
                            "\"");
  const size_t processes = std::min(before.processes.size(), after.processes.size());
  for (size_t i = 0; i < processes; ++i) {
    if (base::BaseName(before.processes[i].program) != base::BaseName(after.processes[i].program)) break;
    AddProcess(parts, before.processes[i], after.processes[i]);
  }
  const record::FailedCall *was = FirstFailure(before), *is = FirstFailure(after);
  if (Shown(was) != Shown(is) && is != nullptr) {
    parts.Add({.how = HowOf(was != nullptr, true),
               .kind = report::DifferenceKind::kRun,
               .subject = is->function,
               .summary = "first failing CUDA call: " + Shown(is) + "; before: " + Shown(was),
               .before = Shown(was),
               .after = Shown(is),
               .suspicion = 68},
              {is->function, is->status});
  }
  if (EndOf(before) != EndOf(after)) {
    parts.Add({.kind = report::DifferenceKind::kRun,
               .subject = "end of the run",
               .summary = "the run ended with " + EndOf(after) + " instead of " + EndOf(before),
               .before = EndOf(before),
               .after = EndOf(after),
               .suspicion = after.failed() ? 40 : 20},
              {});
  }
}

}  // namespace culprit::diff

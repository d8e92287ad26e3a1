#include "why/places.h"

#include "base/text.h"

namespace culprit::why {

std::string Absolute(const snapshot::Snapshot& snapshot, const std::string& path) {
  return path.empty() ? path : base::JoinPath(snapshot.working_directory, path);
}

report::Place PlaceOf(const loader::Attempt& attempt, const snapshot::Snapshot& snapshot) {
  return {.path = Absolute(snapshot, attempt.path),
          .via = attempt.via,
          .outcome = attempt.outcome,
          .detail = attempt.detail,
          .origin = attempt.origin};
}

bool WorthShowing(const loader::Attempt& attempt) {
  return !(attempt.hwcaps && attempt.in_missing_directory);
}

report::LibraryVersion VersionOf(snapshot::FileView& view, const std::string& path) {
  const auto fact = view.Version(path);
  if (!fact) return {};
  return {fact->version, fact->cuda, fact.source};
}

base::Opened Shown(loader::OpenedBy opened_by) {
  const bool later = opened_by == loader::OpenedBy::kDlopen || opened_by == loader::OpenedBy::kDelayed;
  return later ? base::Opened::kDlopen : base::Opened::kNeeded;
}

std::string RequesterOf(const loader::LoadGraph& graph, const snapshot::Snapshot& snapshot,
                        const loader::Request& request) {
  if (!request.requester_path.empty()) return Absolute(snapshot, request.requester_path);
  if (request.requester == loader::kNone)
    return request.opened_by == loader::OpenedBy::kPreload ? "LD_PRELOAD" : "";
  return Absolute(snapshot, graph.objects[request.requester].path);
}

report::MissingLibrary MissingOf(const loader::LoadGraph& graph, const snapshot::Snapshot& snapshot,
                                 const loader::Request& request) {
  return {.name = request.name,
          .requested_by = RequesterOf(graph, snapshot, request),
          .opened_by = Shown(request.opened_by),
          .error = request.error,
          .code = request.code,
          .uncertain = request.uncertain};
}

std::vector<report::MissingFunction> MissingFunctions(const loader::LoadGraph& graph) {
  std::vector<report::MissingFunction> functions;
  // What a library that is looked at alone lacks, the program that loads it may have.
  const bool alone = graph.objects.empty() || graph.objects.front().elf == nullptr ||
                     !graph.objects.front().elf->interpreter;
  for (const loader::MissingExport& missing : graph.missing_exports) {
    if (missing.of_any && (alone || !missing.at_load)) continue;
    functions.push_back({missing.function, missing.dll, missing.importer});
  }
  return functions;
}

}  // namespace culprit::why

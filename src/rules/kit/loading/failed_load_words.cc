// What a finding about a failed load says besides the rule's own words: who requests the library, how that is
// known, what the loader prints.
#include <algorithm>

#include "base/text.h"
#include "rules/kit/loading/failed_loads.h"

namespace culprit::rules {
namespace {

using base::BaseName;
using loader::Request;

// Whether names among its strings are the only way from the program that was named to CUDA: it links with no
// CUDA library and opens this one by its only name. Then it does nothing on a GPU without it.
bool IsOnlyWay(const FailedLoad& failed) {
  const loader::LoadGraph& graph = failed.scenario->graph;
  const bool links = std::ranges::any_of(graph.requests, [](const Request& other) {
    return other.opened_by == loader::OpenedBy::kNeeded && other.requester == 0 &&
           knowledge::FindLibrary(BaseName(other.name)) != nullptr;
  });
  const bool several = std::ranges::any_of(graph.requests, [&](const Request& other) {
    const auto* library = other.guessed ? knowledge::FindLibrary(other.name) : nullptr;
    return library != nullptr && &other != failed.request && library->name == failed.library->name;
  });
  return failed.scenario->kind == loader::Scenario::Kind::kProgram && failed.request->requester == 0 &&
         !links && !several;
}

}  // namespace

report::Evidence WhoOpens(const FailedLoad& failed) {
  const std::string& name = failed.request->name;
  if (failed.request->guessed)
    return {failed.asker + " opens " + name + " at run time, according to its strings",
            "the strings of " + failed.asker};
  if (failed.request->opened_by == loader::OpenedBy::kNeeded)
    return {failed.asker + " needs " + name,
            (failed.scenario->graph.windows ? "imports of " : "DT_NEEDED of ") + failed.asker};
  return {failed.asker + " opens " + name, failed.scenario->WasSeen()
                                               ? "seen in " + failed.scenario->title
                                               : "data/libraries.toml and the steps of the import"};
}

report::Finding& Fire(Ruling& ruling, const FailedLoad& failed, std::string summary, std::string subject,
                      std::vector<std::string> about) {
  report::Finding& finding = ruling.Fire(std::move(summary), std::move(subject), std::move(about));
  finding.affects.push_back(failed.scenario->title);
  const bool seen = failed.scenario->WasSeen();
  finding.evidence.push_back(WhoOpens(failed));
  if (failed.request->guessed && !IsOnlyWay(failed)) finding.severity = report::Severity::kWarning;
  finding.evidence.push_back({failed.request->error, seen
                                                         ? "the loader's message in " + failed.scenario->title
                                                         : "predicted by the loader model"});
  for (const std::string& directory : failed.unlisted) {
    finding.evidence.push_back({directory + " cannot be listed, so it may contain a copy", directory});
  }
  return finding;
}

void NoteUncertain(const Scene& scene, Ruling& ruling) {
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (failed.why != Why::kUncertain) continue;
    ruling.NotEnoughFacts(failed.request->name + " of " + failed.scenario->title,
                          "part of the search was not recorded");
  }
}

}  // namespace culprit::rules

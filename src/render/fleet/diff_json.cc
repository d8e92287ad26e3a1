// What an update changed on a fleet, in the JSON format of docs/json-output.md.
#include "base/json.h"
#include "render/document.h"
#include "render/edition.h"
#include "render/fleet/diff.h"
#include "render/fleet/rows.h"
#include "render/place.h"

namespace culprit::render {
namespace {

using base::Json;

Json ChangeJson(const report::FleetChange& change) {
  Json facts = Json::array();
  for (const report::FactChange& fact : change.facts)
    facts.push_back(
        {{"what", fact.what}, {"before", TextOrNull(fact.before)}, {"after", TextOrNull(fact.after)}});
  return {{"facts", std::move(facts)},
          {"nodes", change.nodes},
          {"missed", change.missed},
          {"still", change.still}};
}

Json FleetFindingsJson(const std::vector<report::FleetFinding>& findings) {
  Json list = Json::array();
  for (const report::FleetFinding& finding : findings) list.push_back(FleetFindingJson(finding));
  return list;
}

}  // namespace

std::string ToJson(const report::FleetDiffReport& report) {
  Json changes = Json::array(), silent = Json::array();
  for (const report::FleetChange& change : report.changes) changes.push_back(ChangeJson(change));
  for (const report::SilentNode& one : report.unreachable)
    silent.push_back({{"side", Name(one.side)}, {"node", one.node.node}, {"why", one.node.why}});
  return JsonDocument({{"schema", "culprit.fleet-diff/1"},
                       {"verdict", Name(report.verdict)},
                       {"headline", report.headline},
                       {"before", report.before},
                       {"after", report.after},
                       {"compared", report.compared},
                       {"same", report.same},
                       {"changes", std::move(changes)},
                       {"new_findings", FleetFindingsJson(report.new_findings)},
                       {"gone_findings", FleetFindingsJson(report.gone_findings)},
                       {"new_nodes", report.new_nodes},
                       {"gone_nodes", report.gone_nodes},
                       {"unjudged", report.unjudged},
                       {"unreachable", std::move(silent)},
                       {"left_out", report.left_out},
                       {"knowledge", EditionJson()}});
}

}  // namespace culprit::render

// A fleet in the JSON format of docs/json-output.md.
#include "base/json.h"

#include "render/document.h"
#include "render/edition.h"
#include "render/fleet/fleet.h"
#include "render/fleet/rows.h"
#include "render/place.h"

namespace culprit::render {
namespace {

using base::Json;

Json DiffersJson(const std::vector<report::FactDiffers>& facts) {
  Json list = Json::array();
  for (const report::FactDiffers& fact : facts) {
    list.push_back(
        {{"what", fact.what}, {"value", TextOrNull(fact.value)}, {"expected", TextOrNull(fact.expected)}});
  }
  return list;
}

}  // namespace

std::string ToJson(const report::FleetReport& report) {
  Json findings = Json::array(), groups = Json::array(), outliers = Json::array(), silent = Json::array();
  for (const report::FleetFinding& finding : report.findings) findings.push_back(FleetFindingJson(finding));
  Json not_checked = Json::array(), versions = Json::array();
  for (const report::FleetGroup& group : report.groups) {
    Json stack = Json::array();
    for (const report::NodeFact& fact : group.stack)
      stack.push_back({{"what", fact.what}, {"value", fact.value}});
    groups.push_back({{"nodes", group.nodes},
                      {"stack", std::move(stack)},
                      {"differs", DiffersJson(group.differs)},
                      {"left_out", group.left_out.any}});
  }
  for (const report::Outlier& outlier : report.outliers) {
    outliers.push_back({{"node", outlier.node},
                        {"compared_with", outlier.group},
                        {"differs", DiffersJson(outlier.differs)}});
  }
  for (const report::Unreachable& node : report.unreachable)
    silent.push_back({{"node", node.node}, {"why", node.why}});
  for (const report::FleetNotChecked& item : report.not_checked)
    not_checked.push_back({{"what", item.what}, {"why", item.why}, {"nodes", item.nodes}});
  for (const report::FleetVersion& one : report.versions)
    versions.push_back({{"version", one.version}, {"nodes", one.nodes}});
  return JsonDocument({{"schema", "culprit.fleet/1"},
                       {"verdict", Name(report.verdict)},
                       {"headline", report.headline},
                       {"nodes", report.nodes},
                       {"baseline", report.baseline.empty() ? Json() : Json(report.baseline)},
                       {"findings", std::move(findings)},
                       {"groups", std::move(groups)},
                       {"outliers", std::move(outliers)},
                       {"unjudged", report.unjudged},
                       {"unreachable", std::move(silent)},
                       {"not_checked", std::move(not_checked)},
                       {"several", report.several},
                       {"versions", std::move(versions)},
                       {"knowledge", EditionJson()}});
}

}  // namespace culprit::render

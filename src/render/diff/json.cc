// What changed, in the JSON format of docs/json-output.md.
#include "base/json.h"

#include "render/diff/diff.h"
#include "render/document.h"
#include "render/finding.h"

namespace culprit::render {
namespace {

using base::Json;

Json Findings(const std::vector<report::Finding>& findings) {
  Json list = Json::array();
  for (const report::Finding& finding : findings) list.push_back(FindingJson(finding));
  return list;
}

}  // namespace

std::string ToJson(const report::DiffReport& report) {
  Json differences = Json::array(), not_compared = Json::array();
  for (const report::Difference& difference : report.differences) {
    differences.push_back({{"how", Name(difference.how)},
                           {"kind", base::Word(difference.kind)},
                           {"subject", difference.subject},
                           {"summary", difference.summary},
                           {"before", difference.before},
                           {"after", difference.after},
                           {"why", difference.why},
                           {"suspicion", difference.suspicion},
                           {"findings", difference.findings},
                           {"leads_to", difference.leads_to},
                           {"more", difference.more}});
    if (difference.layer) differences.back()["layer"] = LayerJson(*difference.layer);
  }
  for (const report::NotChecked& item : report.not_compared)
    not_compared.push_back({{"what", item.what}, {"why", item.why}});
  return JsonDocument({{"schema", "culprit.diff/1"},
                       {"headline", report.headline},
                       {"before", {{"file", report.before}, {"verdict", Name(report.verdict_before)}}},
                       {"after", {{"file", report.after}, {"verdict", Name(report.verdict_after)}}},
                       {"remarks", report.remarks},
                       {"differences", std::move(differences)},
                       {"new_findings", Findings(report.new_findings)},
                       {"gone_findings", Findings(report.gone_findings)},
                       {"same_findings", report.same_findings},
                       {"not_compared", std::move(not_compared)}});
}

}  // namespace culprit::render

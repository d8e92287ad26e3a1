// The table of hosts in the JSON format of docs/json-output.md.
#include "base/json.h"

#include "render/check/ignored_json.h"
#include "render/document.h"
#include "render/edition.h"
#include "render/finding.h"
#include "render/hosts/hosts.h"
#include "render/hosts/words.h"

namespace culprit::render {

std::string ToJson(const report::HostsReport& report) {
  using base::Json;
  Json hosts = Json::array(), findings = Json::array(), not_checked = Json::array();
  for (const report::HostRow& row : report.hosts) {
    hosts.push_back({{"host", row.found.host.words},
                     {"name", row.found.host.name},
                     {"runs", base::Word(row.found.runs)},
                     {"verdict", Name(row.found.check.verdict)},
                     {"headline", row.found.check.headline},
                     {"findings", row.findings}});
  }
  for (const report::FindingOnHosts& item : report.findings) {
    Json finding = FindingJson(item.finding);
    finding["hosts"] = item.hosts;
    findings.push_back(std::move(finding));
  }
  for (const report::NotCheckedOnHosts& line : report.not_checked)
    not_checked.push_back({{"what", line.what.what}, {"why", line.what.why}, {"hosts", line.hosts}});
  return JsonDocument({{"schema", "culprit.hosts/1"},
                       {"verdict", Name(report.verdict)},
                       {"headline", report.headline},
                       {"hosts", std::move(hosts)},
                       {"findings", std::move(findings)},
                       {"ignored", IgnoredJson(AsOneCheck(report))},
                       {"not_checked", std::move(not_checked)},
                       {"knowledge", EditionJson()}});
}

}  // namespace culprit::render

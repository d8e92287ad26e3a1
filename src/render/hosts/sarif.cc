// SARIF: each finding is one result, which names its hosts.
#include "render/check/sarif.h"

#include "base/json.h"
#include "render/document.h"
#include "render/hosts/hosts.h"
#include "render/hosts/words.h"
#include "render/markdown.h"

namespace culprit::render {

std::string ToSarif(const report::HostsReport& report, const std::vector<report::RulePage>& rules,
                    bool redacted, std::string_view rules_url) {
  using base::Json;
  Json sarif = SarifJson(AsOneCheck(report), rules, redacted, rules_url);
  Json& run = sarif.at("runs").at(0);
  for (size_t i = 0; i < report.findings.size(); ++i) {
    Json& result = run.at("results").at(i);
    const std::string hosts = HostsInWords(report, report.findings[i].hosts);
    Json& message = result.at("message");
    message["text"] = message.at("text").get<std::string>() + "\nHosts: " + hosts;
    message["markdown"] = message.at("markdown").get<std::string>() + "Hosts: " + Plain(hosts) + "\n";
    Json list = Json::array();
    for (const size_t host : report.findings[i].hosts) list.push_back(report.hosts[host].found.host.Label());
    result.at("properties")["hosts"] = std::move(list);
  }
  Json hosts = Json::array();
  for (const report::HostRow& row : report.hosts) {
    hosts.push_back({{"host", row.found.host.words},
                     {"name", row.found.host.name},
                     {"runs", base::Word(row.found.runs)},
                     {"headline", row.found.check.headline}});
  }
  run.at("properties")["verdict"] = Name(report.verdict);
  run.at("properties")["hosts"] = std::move(hosts);
  return JsonDocument(std::move(sarif));
}

}  // namespace culprit::render

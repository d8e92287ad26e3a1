// The diagnosis in the JSON format of docs/json-output.md.
#include "base/json.h"

#include "render/check/check.h"
#include "render/check/ignored_json.h"
#include "render/document.h"
#include "render/edition.h"
#include "render/finding.h"

namespace culprit::render {
namespace {

using base::Json;

Json PageJson(const report::RulePage& page) {
  return {{"code", page.code},         {"name", page.name},   {"cause", page.cause},
          {"severity", page.severity}, {"since", page.since}, {"title", page.title}};
}

}  // namespace

base::Json IgnoredJson(const report::CheckReport& report) {
  base::Json list = base::Json::array();
  for (const report::Ignored& one : report.ignored) {
    if (one.findings.empty()) continue;
    list.push_back({{"code", one.code},
                    {"count", one.findings.size()},
                    {"severity", Name(one.findings.front().severity)},
                    {"reason", one.reason},
                    {"source", one.source}});
  }
  return list;
}

base::Json LayerJson(const report::Layer& layer) {
  return {{"index", layer.index}, {"digest", layer.digest}, {"created_by", layer.created_by}};
}

base::Json ProofJson(const report::Proof& proof) {
  base::Json brings = base::Json::array();
  for (const report::Proof::Problem& one : proof.brings)
    brings.push_back({{"code", one.code}, {"summary", one.summary}});
  return {{"outcome", Name(proof.outcome)},
          {"why", proof.why},
          {"also", proof.also},
          {"brings", std::move(brings)}};
}

base::Json FindingJson(const report::Finding& finding) {
  base::Json evidence = base::Json::array(), fix = {{"text", finding.fix.text},
                                                    {"commands", report::Texts(finding.fix.commands)},
                                                    {"risk", base::Word(finding.fix.risk)}};
  if (finding.fix.proof) fix["proof"] = ProofJson(*finding.fix.proof);
  for (const auto& item : finding.evidence)
    evidence.push_back({{"fact", item.fact}, {"source", item.source}});
  base::Json json = {{"code", finding.code},
                     {"cause", finding.cause},
                     {"severity", Name(finding.severity)},
                     {"summary", finding.summary},
                     {"subject", finding.subject},
                     {"affects", finding.affects},
                     {"evidence", std::move(evidence)},
                     {"fix", std::move(fix)},
                     {"links", finding.links}};
  if (finding.place)
    json["place"] = {{"file", base::Printable(finding.place->file)}, {"line", finding.place->line}};
  if (finding.layer) json["layer"] = LayerJson(*finding.layer);
  return json;
}

std::string ToJson(const report::CheckReport& report, const base::Json& snapshot) {
  Json findings = Json::array(), stack = Json::array(), not_checked = Json::array();
  for (const report::Finding& finding : report.findings) findings.push_back(FindingJson(finding));
  for (const report::StackRow& row : report.stack) {
    stack.push_back({{"what", row.what},
                     {"value", row.value},
                     {"where", row.where},
                     {"detail", row.detail},
                     {"depth", row.depth}});
  }
  for (const report::NotChecked& item : report.not_checked) {
    not_checked.push_back({{"what", item.what}, {"why", item.why}});
  }
  return JsonDocument({{"schema", "culprit.check/1"},
                       {"verdict", Name(report.verdict)},
                       {"headline", report.headline},
                       {"findings", std::move(findings)},
                       {"ignored", IgnoredJson(report)},
                       {"stack", std::move(stack)},
                       {"not_checked", std::move(not_checked)},
                       {"rules", {{"run", report.rules_run}, {"total", report.rules_total}}},
                       {"knowledge", EditionJson()},
                       {"snapshot", snapshot}});
}

std::string ToJson(const std::vector<report::RulePage>& rules) {
  Json list = Json::array();
  for (const report::RulePage& rule : rules) list.push_back(PageJson(rule));
  return JsonDocument({{"schema", "culprit.rules/1"}, {"rules", std::move(list)}});
}

std::string ToJson(const report::RulePage& page) {
  Json json = {{"schema", "culprit.rule/1"}};
  json.update(PageJson(page));
  json["page"] = page.page;
  return JsonDocument(json);
}

}  // namespace culprit::render

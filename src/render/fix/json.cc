// Fixes in the JSON format of docs/json-output.md.
#include "base/json.h"

#include "render/document.h"
#include "render/finding.h"
#include "render/fix/fix.h"

namespace culprit::render {
namespace {

using base::Json;

Json FixJson(const report::ProposedFix& fix) {
  const report::Finding& finding = fix.finding;
  Json actions = Json::array();
  for (const report::Action& action : fix.actions) {
    actions.push_back({{"text", action.text},
                       {"automatic", action.automatic},
                       {"why_not", action.why_not},
                       {"root", action.root},
                       {"commands", action.commands},
                       {"settings", action.settings}});
  }
  return {{"code", finding.code},
          {"subject", finding.subject},
          {"summary", finding.summary},
          {"severity", Name(finding.severity)},
          {"fix",
           {{"text", finding.fix.text},
            {"commands", report::Texts(finding.fix.commands)},
            {"risk", base::Word(finding.fix.risk)}}},
          {"actions", std::move(actions)},
          {"proof", ProofJson(fix.proof)}};
}

}  // namespace

std::string ToJson(const report::FixReport& report) {
  Json fixes = Json::array(), not_checked = Json::array(), steps = Json::array(), left = Json::array();
  for (const report::ProposedFix& fix : report.fixes) fixes.push_back(FixJson(fix));
  for (const report::NotChecked& item : report.not_checked)
    not_checked.push_back({{"what", item.what}, {"why", item.why}});
  for (const report::AppliedStep& step : report.steps)
    steps.push_back({{"text", step.text}, {"state", base::Word(step.state)}, {"detail", step.detail}});
  for (const report::Finding& finding : report.left) {
    left.push_back({{"code", finding.code},
                    {"severity", Name(finding.severity)},
                    {"summary", finding.summary},
                    {"subject", finding.subject}});
  }
  return JsonDocument({{"schema", "culprit.fix/1"},
                       {"headline", FixHeadline(report)},
                       {"fixes", std::move(fixes)},
                       {"not_checked", std::move(not_checked)},
                       {"applied", report.applied},
                       {"undone", report.undone},
                       {"steps", std::move(steps)},
                       {"journal", report.journal},
                       {"undo", report.undo},
                       {"killed_run", report.killed_run},
                       {"left", std::move(left)}});
}

}  // namespace culprit::render

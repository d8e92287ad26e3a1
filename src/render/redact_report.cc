// Every text of a report without the home directory and the user's name.
#include "render/redact.h"

namespace culprit::render {

report::CheckReport Redacted(report::CheckReport report, std::string_view home, std::string_view user) {
  const auto hide = [&](auto&... texts) { ((texts = Redact(texts, home, user)), ...); };
  const auto hide_all = [&](std::vector<std::string>& texts) {
    for (std::string& text : texts) hide(text);
  };
  const auto hide_reasons = [&](std::vector<report::NotChecked>& items) {
    for (report::NotChecked& item : items) hide(item.what, item.why);
  };
  hide(report.headline);
  const auto hide_finding = [&](report::Finding& finding) {
    hide(finding.summary, finding.subject, finding.fix.text);
    hide_all(finding.affects);
    for (report::Command& command : finding.fix.commands)
      command.Rewrite([&](std::string_view text) { return Redact(text, home, user); });
    hide_all(finding.links);
    if (finding.fix.proof) {
      hide(finding.fix.proof->why);
      for (report::Proof::Problem& problem : finding.fix.proof->brings) hide(problem.summary);
    }
    for (report::Evidence& item : finding.evidence) hide(item.fact, item.source);
    if (finding.layer) hide(finding.layer->created_by, finding.layer->instruction);
    if (finding.place) hide(finding.place->file);
  };
  for (report::Finding& finding : report.findings) hide_finding(finding);
  for (report::Ignored& ignored : report.ignored) {
    hide(ignored.reason);
    for (report::Finding& finding : ignored.findings) hide_finding(finding);
  }
  for (report::StackRow& row : report.stack) hide(row.what, row.value, row.where, row.detail);
  hide_reasons(report.not_checked);
  for (report::RuleOutcome& outcome : report.outcomes) hide_reasons(outcome.lacking);
  return report;
}

}  // namespace culprit::render

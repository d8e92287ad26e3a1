// Fixes for an issue tracker.
#include "render/markdown.h"

#include "base/product_version.h"
#include "render/fix/fix.h"

namespace culprit::render {

std::string ToMarkdown(const report::FixReport& report) {
  std::string text = "### culprit fix: " + Plain(FixHeadline(report)) + "\n\n";
  for (const report::ProposedFix& fix : report.fixes) {
    const report::Finding& finding = fix.finding;
    text += "#### " + std::string(Name(finding.severity)) + " " + finding.code + ": " +
            Plain(finding.summary) + "\n\n";
    if (!finding.fix.text.empty()) text += Plain(finding.fix.text) + "\n\n";
    if (const std::string block = ShellBlock(report::Texts(finding.fix.commands)); !block.empty())
      text += block + "\n";
    if (finding.fix.risk != report::Risk::kUnknown)
      text += "Risk: " + std::string(base::Word(finding.fix.risk)) + "\n\n";
    for (const report::Action& action : fix.actions)
      text += "- " + Code(action.text) + " (" + Plain(WhoseWords(action)) + ")\n";
    text += (fix.actions.empty() ? "" : "\n") + ("Proof: " + Plain(ProofWords(fix.proof))) + "\n\n";
  }
  for (const report::AppliedStep& step : report.steps)
    text += "- " + Plain(base::Word(step.state)) + ": " + Code(step.text) +
            (step.detail.empty() ? "" : " (" + Plain(step.detail) + ")") + "\n";
  if (!report.steps.empty()) text += "\n";
  std::string left;
  for (const report::Finding& finding : report.left)
    left += "- " + std::string(Name(finding.severity)) + " " + finding.code + ": " + Plain(finding.summary) +
            "\n";
  if (!left.empty()) text += "Left:\n\n" + left + "\n";
  std::string missing;
  for (const auto& item : report.not_checked)
    missing += "- " + Plain(item.what) + ": " + Plain(item.why) + "\n";
  if (!missing.empty()) text += Folded("not checked", missing) + "\n";
  return text + "culprit " + std::string(base::ProductVersion()) + "\n";
}

}  // namespace culprit::render

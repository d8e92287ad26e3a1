// A fleet for an issue or a chat. Untrusted text cannot become markup.
#include "render/markdown.h"

#include "base/product_version.h"
#include "render/fleet/fleet.h"
#include "render/fleet/rows.h"

namespace culprit::render {
namespace {

std::string NodesAsCode(const std::vector<std::string>& nodes) { return Code(base::FoldNodes(nodes)); }
std::string NodesInTable(const std::vector<std::string>& nodes) {
  return CodeInTable(base::FoldNodes(nodes));
}

}  // namespace

std::string ToMarkdown(const report::FleetReport& report) {
  std::string text = "### culprit fleet: " + Plain(report.headline) + "\n\n";
  if (!report.findings.empty()) text += "| finding | nodes |\n|---|---|\n";
  for (const report::FleetFinding& finding : report.findings)
    text += "| " + std::string(Name(finding.severity)) + " " + Plain(finding.code) + " " +
            Plain(finding.summary) + " | " + NodesInTable(finding.nodes) + Plain(WhoseWords(finding)) +
            " |\n";
  if (!report.outliers.empty())
    text += std::string("\n| node | ") +
            (report.baseline.empty() ? "differs in" : "differs from the baseline in") + " |\n|---|---|\n";
  for (const OddNodes& odd : Together(report.outliers)) {
    std::string facts;
    for (const report::FactDiffers& fact : odd.differs)
      facts += (facts.empty() ? "" : "<br>") + Plain(InWords(fact, WhoseIsExpected(report)));
    text += "| " + NodesInTable(odd.nodes) + " | " + facts + " |\n";
  }
  if (!report.groups.empty()) text += "\n| stack | nodes |\n|---|---|\n";
  for (size_t i = 0; i < report.groups.size(); ++i)
    text += "| " + std::to_string(i + 1) + " | " + NodesInTable(report.groups[i].nodes) + " |\n";
  if (!report.unjudged.empty()) text += "\n- not judged: " + NodesAsCode(report.unjudged);
  for (const report::FleetNotChecked& item : report.not_checked)
    text +=
        "\n- not checked on " + NodesAsCode(item.nodes) + ": " + Plain(item.what) + ": " + Plain(item.why);
  if (!report.left_out.empty()) text += "\n- " + Plain(kNoRoom) + ": " + NodesAsCode(report.left_out);
  if (!report.several.empty()) text += "\n- " + Plain(kSeveralAnswers) + " " + NodesAsCode(report.several);
  for (size_t i = 0; report.versions.size() > 1 && i < report.versions.size(); ++i)
    text +=
        "\n- culprit " + Plain(report.versions[i].version) + " on " + NodesAsCode(report.versions[i].nodes);
  for (const report::Unreachable& node : report.unreachable)
    text += "\n- " + Code(node.node) + ": " + Plain(node.why);
  return text + "\n\nculprit " + std::string(base::ProductVersion()) + "\n";
}

}  // namespace culprit::render

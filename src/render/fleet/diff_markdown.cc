// What an update changed on a fleet, for an issue or a chat. Untrusted text cannot become markup.
#include "base/product_version.h"
#include "render/fleet/diff.h"
#include "render/fleet/rows.h"
#include "render/markdown.h"

namespace culprit::render {
namespace {

std::string FindingsTable(const std::string& heading, const std::vector<report::FleetFinding>& findings) {
  if (findings.empty()) return "";
  std::string text = "\n| " + heading + " | nodes |\n|---|---|\n";
  for (const report::FleetFinding& finding : findings)
    text += "| " + std::string(Name(finding.severity)) + " " + Plain(finding.code) + " " +
            Plain(finding.summary) + " | " + CodeInTable(base::FoldNodes(finding.nodes)) + " |\n";
  return text;
}

std::string ChangeRow(const report::FleetChange& change) {
  std::string facts;
  for (const report::FactChange& fact : change.facts)
    facts += (facts.empty() ? "" : "<br>") + Plain(InWords(fact));
  return "| " + facts + " | " + CodeInTable(base::FoldNodes(change.nodes)) + " | " +
         (change.missed.empty() ? AreStill(change) : CodeInTable(base::FoldNodes(change.missed))) + " |\n";
}

}  // namespace

std::string ToMarkdown(const report::FleetDiffReport& report) {
  std::string text = "### culprit fleet diff: " + Plain(report.headline) + "\n";
  text += FindingsTable("new finding", report.new_findings);
  if (!report.changes.empty()) text += "\n| change | nodes | did not reach |\n|---|---|---|\n";
  for (const report::FleetChange& change : report.changes) text += ChangeRow(change);
  text += FindingsTable("fixed finding", report.gone_findings);
  if (!report.new_nodes.empty()) text += "\nNew: " + Code(base::FoldNodes(report.new_nodes)) + "\n";
  if (!report.gone_nodes.empty()) text += "\nGone: " + Code(base::FoldNodes(report.gone_nodes)) + "\n";
  if (!report.unjudged.empty()) text += "\nNot judged: " + Code(base::FoldNodes(report.unjudged)) + "\n";
  if (!report.left_out.empty())
    text += "\n" + Plain(kNoRoom) + ": " + Code(base::FoldNodes(report.left_out)) + "\n";
  if (!report.unreachable.empty()) text += "\n";
  for (const report::SilentNode& one : report.unreachable)
    text +=
        "- " + Code(one.node.node) + " (" + std::string(Name(one.side)) + "): " + Plain(one.node.why) + "\n";
  return text + "\nculprit " + std::string(base::ProductVersion()) + "\n";
}

}  // namespace culprit::render

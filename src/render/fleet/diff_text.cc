// What an update changed on a fleet, for the terminal: new findings, changes with the nodes that they did not
// reach, then nodes that are new, gone or silent.
#include <fmt/format.h>

#include "render/finding.h"
#include "render/fleet/diff.h"
#include "render/fleet/rows.h"

namespace culprit::render {
namespace {

constexpr size_t kMostChangeFacts = 20;  // of one change, without --verbose
constexpr size_t kMostChanges = 30;

std::string FindingsOfDiff(const std::string& heading, const std::vector<report::FleetFinding>& findings,
                           bool verbose, const Style& style) {
  std::string text;
  for (const report::FleetFinding& finding : findings) {
    if (finding.severity == report::Severity::kNote && !verbose) continue;
    text +=
        "  " +
        SeverityText(finding.severity, fmt::format("{} {}", Name(finding.severity), finding.code), style) +
        "  " + base::Printable(finding.summary) + "\n    on " + FoldedNodes(finding.nodes) + "\n";
  }
  return text.empty() ? "" : "\n" + style.Bold(heading) + "\n" + text;
}

std::string ChangeText(const report::FleetChange& change, bool verbose, const Style& style) {
  std::string text = "  on " + FoldedNodes(change.nodes) + "\n";
  for (size_t i = 0; i < change.facts.size(); ++i) {
    if (i == kMostChangeFacts && !verbose) {
      text += style.Dim(fmt::format("    and {} more: --verbose", change.facts.size() - i)) + "\n";
      break;
    }
    text += "    " + base::Printable(InWords(change.facts[i])) + "\n";
  }
  if (!change.missed.empty()) {
    text += "    " + style.Warn("did not reach " + FoldedNodes(change.missed)) + "\n";
  } else if (change.still > 0) {
    text += "    " + style.Dim(AreStill(change)) + "\n";
  }
  return text;
}

std::string ChangesText(const report::FleetDiffReport& report, bool verbose, const Style& style) {
  if (report.changes.empty()) return "";
  std::string text = "\n" + style.Bold("changes") + "\n";
  for (size_t i = 0; i < report.changes.size(); ++i) {
    if (i == kMostChanges && !verbose)
      return text + style.Dim(fmt::format("  and {} more: --verbose", report.changes.size() - i)) + "\n";
    text += ChangeText(report.changes[i], verbose, style);
  }
  return text;
}

std::string NodesText(const report::FleetDiffReport& report, const Style& style) {
  std::string text;
  if (!report.new_nodes.empty())
    text += "\n" + style.Bold("new") + "\n  " + FoldedNodes(report.new_nodes) + "\n";
  if (!report.gone_nodes.empty())
    text += "\n" + style.Bold("gone") + "\n  " + FoldedNodes(report.gone_nodes) + "\n";
  if (!report.unjudged.empty())
    text += "\n" + style.Bold("not judged") + "\n  " + FoldedNodes(report.unjudged) + "\n";
  if (!report.left_out.empty())
    text += "\n" + style.Bold(std::string(kNoRoom)) + "\n  " + FoldedNodes(report.left_out) + "\n";
  std::string silent;
  for (const report::SilentNode& one : report.unreachable)
    silent += fmt::format("  {} ({}): {}\n", base::Printable(one.node.node), Name(one.side),
                          base::Printable(one.node.why));
  return text + (silent.empty() ? "" : "\n" + style.Bold("no usable answer from") + "\n" + silent);
}

}  // namespace

std::string ToText(const report::FleetDiffReport& report, const Style& style, bool verbose) {
  return VerdictText(report.verdict, report.headline, style) + "\n" +
         FindingsOfDiff("new findings", report.new_findings, verbose, style) +
         ChangesText(report, verbose, style) +
         FindingsOfDiff("fixed findings", report.gone_findings, verbose, style) + NodesText(report, style);
}

}  // namespace culprit::render

// A fleet for the terminal: what is wrong where, then who has the same stack, who is odd, who is silent.
#include <fmt/format.h>

#include "render/finding.h"
#include "render/fleet/fleet.h"
#include "render/fleet/rows.h"

namespace culprit::render {
namespace {

constexpr size_t kMostFacts = 12;  // without --verbose
constexpr size_t kMostRows = 30;

std::string FactLines(const std::vector<report::FactDiffers>& facts, std::string_view whose, bool verbose,
                      const Style& style) {
  std::string text;
  for (size_t i = 0; i < facts.size(); ++i) {
    if (i == kMostFacts && !verbose)
      return text + style.Dim(fmt::format("    and {} more: --verbose", facts.size() - i)) + "\n";
    text += "    " + base::Printable(InWords(facts[i], whose)) + "\n";
  }
  return text;
}

std::string FindingLines(const report::FleetReport& report, bool verbose, const Style& style) {
  std::string text;
  for (const report::FleetFinding& finding : report.findings) {
    if (finding.severity == report::Severity::kNote && !verbose) continue;
    text +=
        SeverityText(finding.severity, fmt::format("{} {}", Name(finding.severity), finding.code), style) +
        "  " + base::Printable(finding.summary) + "\n  on " + FoldedNodes(finding.nodes) +
        base::Printable(WhoseWords(finding)) + "\n";
  }
  return text.empty() ? "" : "\n" + text;
}

// The facts that people ask for first; --verbose has all of them.
std::string StackLine(const std::vector<report::NodeFact>& stack) {
  std::string line;
  for (const report::NodeFact& fact : stack) {
    const bool head = fact.what == report::kSystemFact || fact.what == report::kDriverFact ||
                      fact.what == report::kFirstGpuFact;
    if (head) line += (line.empty() ? "" : "; ") + fact.what + " " + fact.value;
  }
  return line;
}

std::string GroupLines(const report::FleetReport& report, bool verbose, const Style& style) {
  if (report.groups.empty()) return "";
  std::string text = "\n" + style.Bold("stacks") + "\n";
  for (size_t i = 0; i < report.groups.size(); ++i) {
    const report::FleetGroup& group = report.groups[i];
    if (i == kMostRows && !verbose)
      return text + style.Dim(fmt::format("  and {} more: --verbose", report.groups.size() - i)) + "\n";
    const std::string line = StackLine(group.stack);
    text += "  " + FoldedNodes(group.nodes) + (line.empty() ? "" : ": " + base::Printable(line)) + "\n";
    if (i > 0 && report.outliers.empty())
      text += FactLines(group.differs, report.groups[0].nodes.front(), verbose, style);
    if (!verbose) continue;
    for (const report::NodeFact& fact : group.stack)
      text += "    " + style.Dim(base::Printable(fact.what + ": " + fact.value)) + "\n";
  }
  return text;
}

std::string OddLines(const report::FleetReport& report, bool verbose, const Style& style) {
  if (report.outliers.empty()) return "";
  std::string text =
      "\n" +
      style.Bold(report.baseline.empty() ? "different"
                                         : "different from " + base::Printable(report.baseline)) +
      "\n";
  const auto odd = Together(report.outliers);
  for (size_t i = 0; i < odd.size(); ++i) {
    if (i == kMostRows && !verbose)
      return text + style.Dim(fmt::format("  and {} more: --verbose", odd.size() - i)) + "\n";
    text += "  " + style.Warn(FoldedNodes(odd[i].nodes)) +
            (report.baseline.empty() ? "  compared with " + base::Printable(odd[i].group) + "\n" : "\n") +
            FactLines(odd[i].differs, WhoseIsExpected(report), verbose, style);
  }
  return text;
}

std::string SilentLines(const report::FleetReport& report, const Style& style) {
  std::string text, unjudged;
  for (const report::Unreachable& node : report.unreachable)
    text += "  " + base::Printable(node.node) + ": " + base::Printable(node.why) + "\n";
  if (!report.unjudged.empty())
    unjudged = "\n" + style.Bold("not judged: culprit could not read everything there") + "\n  " +
               FoldedNodes(report.unjudged) + "\n";
  return unjudged + (text.empty() ? "" : "\n" + style.Bold("no usable answer from") + "\n" + text);
}

std::string NotCheckedLines(const report::FleetReport& report, const Style& style) {
  std::string text;
  for (const report::FleetNotChecked& item : report.not_checked)
    text += "  " + base::Printable(item.what) + ": " + base::Printable(item.why) + "\n    on " +
            FoldedNodes(item.nodes) + "\n";
  return text.empty() ? "" : "\n" + style.Bold("not checked") + "\n" + text;
}

// What makes the comparison less sure.
std::string DoubtLines(const report::FleetReport& report, const Style& style) {
  std::string text;
  const auto add = [&](std::string_view heading, const std::string& lines) {
    text += "\n" + style.Bold(std::string(heading)) + "\n" + lines;
  };
  if (!report.left_out.empty()) add(kNoRoom, "  " + FoldedNodes(report.left_out) + "\n");
  if (!report.several.empty()) add(kSeveralAnswers, "  " + FoldedNodes(report.several) + "\n");
  if (report.versions.size() < 2) return text;
  std::string lines;
  for (const report::FleetVersion& one : report.versions)
    lines += "  " + (one.version.empty() ? "unknown" : base::Printable(one.version)) + ": " +
             FoldedNodes(one.nodes) + "\n";
  add(kSeveralVersions, lines);
  return text;
}

}  // namespace

std::string ToText(const report::FleetReport& report, const Style& style, bool verbose) {
  return VerdictText(report.verdict, report.headline, style) + "\n" + FindingLines(report, verbose, style) +
         GroupLines(report, verbose, style) + OddLines(report, verbose, style) +
         NotCheckedLines(report, style) + DoubtLines(report, style) + SilentLines(report, style);
}

}  // namespace culprit::render

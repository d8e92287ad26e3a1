// What changed, for the terminal: the likeliest cause in the first line, then every difference with both
// sides, its rank and its consequences; then new and gone findings, and what was not compared.
#include <fmt/format.h>

#include "render/diff/diff.h"
#include "render/finding.h"

namespace culprit::render {
namespace {

using report::Difference;
using report::Finding;

std::string IndentedLine(const char* label, const std::string& text) {
  return fmt::format("      {:<9} {}\n", label, base::Printable(text));
}

std::string DifferenceText(const Difference& difference, const Style& style, bool verbose) {
  std::string text = fmt::format("{:>4}  {}\n", difference.suspicion, style.Bold(difference.summary));
  if (!difference.before.empty() || !difference.after.empty()) {
    text += IndentedLine("before", difference.before);
    text += IndentedLine("after", difference.after);
  }
  text += IndentedLine("why", difference.why);
  if (difference.layer) text += IndentedLine("layer", LayerWords(*difference.layer));
  constexpr size_t kShown = 4;
  const size_t shown = verbose ? difference.leads_to.size() : std::min(kShown, difference.leads_to.size());
  for (size_t i = 0; i < shown; ++i) text += IndentedLine(i == 0 ? "effects" : "", difference.leads_to[i]);
  const size_t rest = difference.leads_to.size() - shown + difference.more;
  if (rest > 0) text += IndentedLine("", fmt::format("and {} more", rest));
  return text;
}

void AddFindings(std::string& text, const char* title, const std::vector<Finding>& findings,
                 const Style& style) {
  if (findings.empty()) return;
  text += "\n" + style.Bold(title) + "\n";
  for (const Finding& finding : findings) {
    const std::string name = fmt::format("{} {}", Name(finding.severity), finding.code);
    text += fmt::format("  {}  {}\n", SeverityText(finding.severity, name, style),
                        base::Printable(finding.summary));
  }
}

}  // namespace

std::string ToText(const report::DiffReport& report, const Style& style, const DiffDetail& detail) {
  std::string text = style.Bold(report.headline) + "\n\n";
  text += fmt::format("  before  {} ({})\n", base::Printable(report.before), Name(report.verdict_before));
  text += fmt::format("  after   {} ({})\n", base::Printable(report.after), Name(report.verdict_after));
  for (const std::string& remark : report.remarks) text += "  note    " + base::Printable(remark) + "\n";
  size_t left_out = 0;
  for (const Difference& difference : report.differences) {
    if (difference.suspicion < kHardlyMatters && !detail.verbose) {
      ++left_out;
    } else {
      text += "\n" + DifferenceText(difference, style, detail.verbose);
    }
  }
  if (left_out > 0) text += fmt::format("\n  {} more unlikely to matter: -v\n", left_out);
  AddFindings(text, "new findings", report.new_findings, style);
  AddFindings(text, "fixed findings", report.gone_findings, style);
  if (!report.not_compared.empty()) {
    text += "\n" + style.Bold("not compared") + "\n";
    for (const report::NotChecked& item : report.not_compared)
      text += fmt::format("  {}: {}\n", base::Printable(item.what), base::Printable(item.why));
  }
  if (!report.new_findings.empty())
    text += "\nculprit check " + base::Printable(report.after) + " shows proof and fixes\n";
  return text;
}

}  // namespace culprit::render

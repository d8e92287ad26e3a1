// What changed, for an issue tracker: differences as a list, consequences and findings collapsed. Untrusted
// text cannot become markup.
#include "render/markdown.h"

#include "base/product_version.h"
#include "render/diff/diff.h"
#include "render/finding.h"

namespace culprit::render {
namespace {

using report::Difference;

std::string DifferenceMarkdown(const Difference& difference) {
  std::string text = "#### " + Plain(difference.summary) + "\n\n";
  if (!difference.before.empty() || !difference.after.empty())
    text += "- before: " + Code(difference.before) + "\n- after: " + Code(difference.after) + "\n";
  text += "- why: " + Plain(difference.why) + "\n";
  if (difference.layer) text += "- layer " + Plain(LayerWords(*difference.layer)) + "\n";
  text += "\n";
  std::string lines;
  for (const std::string& line : difference.leads_to) lines += "- " + Code(line) + "\n";
  if (difference.more > 0) lines += "- and " + std::to_string(difference.more) + " more\n";
  return lines.empty() ? text : text + Folded("effects", lines) + "\n";
}

}  // namespace

std::string ToMarkdown(const report::DiffReport& report) {
  std::string text = "### culprit diff: " + Plain(report.headline) + "\n\n";
  text += "before " + Code(report.before) + ", after " + Code(report.after) + "\n\n";
  for (const std::string& remark : report.remarks) text += Plain(remark) + "\n\n";
  std::string little;
  for (const Difference& difference : report.differences) {
    if (difference.suspicion < kHardlyMatters) {
      little += "- " + Plain(difference.summary) + "\n";
    } else {
      text += DifferenceMarkdown(difference);
    }
  }
  if (!little.empty()) text += Folded("unlikely to matter", little) + "\n";
  std::string come, gone, missing;
  for (const report::Finding& finding : report.new_findings) come += FindingMarkdown(finding);
  for (const report::Finding& finding : report.gone_findings)
    gone += "- " + finding.code + ": " + Plain(finding.summary) + "\n";
  for (const report::NotChecked& item : report.not_compared)
    missing += "- " + Plain(item.what) + ": " + Plain(item.why) + "\n";
  if (!come.empty()) text += Folded("new findings", come) + "\n";
  if (!gone.empty()) text += Folded("fixed findings", gone) + "\n";
  if (!missing.empty()) text += Folded("not compared", missing) + "\n";
  return text + "culprit " + std::string(base::ProductVersion()) + "\n";
}

}  // namespace culprit::render

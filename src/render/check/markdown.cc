// The diagnosis for an issue tracker: findings expanded; proof, stack and the rest collapsed. Untrusted text
// is in code spans and fenced blocks, so that it cannot become markup.
#include "render/markdown.h"

#include "base/product_version.h"
#include "render/check/check.h"
#include "render/finding.h"

namespace culprit::render {
namespace {

using report::Finding;

std::string FoldedList(const std::string& title, const std::vector<report::NotChecked>& items) {
  std::string lines;
  for (const auto& item : items) lines += "- " + Plain(item.what) + ": " + Plain(item.why) + "\n";
  return lines.empty() ? "" : Folded(title, lines) + "\n";
}

}  // namespace

std::string FindingMarkdown(const report::Finding& finding) {
  std::string text = "#### " + std::string(Name(finding.severity)) + " " + finding.code + ": " +
                     Plain(finding.summary) + "\n\n";
  if (!finding.affects.empty()) {
    text += "Affects";
    for (size_t i = 0; i < finding.affects.size(); ++i)
      text += (i == 0 ? " " : ", ") + Plain(finding.affects[i]);
    text += "\n\n";
  }
  if (finding.layer) text += "Layer " + Plain(LayerWords(*finding.layer)) + "\n\n";
  if (!finding.fix.text.empty()) text += "Fix: " + Plain(finding.fix.text) + "\n\n";
  if (const std::string block = ShellBlock(report::Texts(finding.fix.commands)); !block.empty())
    text += block + "\n";
  if (const std::string caution = Caution(finding.fix); !caution.empty())
    text += "Caution: " + Plain(caution) + "\n\n";
  std::string proof;
  for (const auto& item : finding.evidence)
    proof += "- " + Code(item.fact) + " (" + Plain(item.source) + ")\n";
  if (!proof.empty()) text += Folded("proof", proof) + "\n";
  return text;
}

std::string ToMarkdown(const report::CheckReport& report) {
  std::string text = "### culprit check: " + Plain(report.headline) + "\n\n";
  for (const Finding& finding : report.findings) text += FindingMarkdown(finding);
  std::string table = "| | | where | |\n|---|---|---|---|\n";
  for (const report::StackRow& row : report.stack) {
    std::string indent;
    for (size_t i = 0; i < row.depth; ++i) indent += "&nbsp;&nbsp;";
    table += "| " + indent + Plain(row.what) + " | " + Plain(row.value) + " | " +
             (row.where.empty() ? "" : Code(row.where)) + " | " + Plain(row.detail) + " |\n";
  }
  text += Folded("stack", table) + "\n";
  text += FoldedList("ignored", IgnoredLines(report)) + FoldedList("not checked", report.not_checked);
  return text + "culprit " + std::string(base::ProductVersion()) + "\n";
}

std::string ToMarkdown(const report::RulePage& page) {
  return "# " + page.code + ": " + page.title + "\n\n" + page.severity + ", cause " + Code(page.cause) +
         ", since " + page.since + "\n" + page.page;
}

}  // namespace culprit::render

// The ranks of a job for an issue or a chat. Untrusted text cannot become markup.
#include "render/markdown.h"

#include "base/product_version.h"
#include "render/ranks/ranks.h"
#include "render/ranks/words.h"

namespace culprit::render {
namespace {

std::string FirstMarkdown(const report::FirstRank& first) {
  const report::RankFinding& finding = first.finding;
  std::string text;
  if (!finding.cause.empty()) text += "Cause: " + Code(finding.cause) + " " + Plain(finding.code) + "\n\n";
  for (const std::string& line : finding.evidence) text += "- " + Code(line) + "\n";
  if (!finding.because.empty()) text += "\nWhy: " + Plain(finding.because) + "\n";
  if (!finding.last_words.empty()) text += "\nLast words: " + Code(finding.last_words) + "\n";
  if (!finding.fix.empty()) text += "\nFix: " + Plain(finding.fix) + "\n\n";
  for (const std::string& command : finding.commands) text += "- " + Code(command) + "\n";
  return text + "\n";
}

}  // namespace

std::string ToMarkdown(const report::RanksReport& report) {
  std::string text = "### culprit run: " + Plain(report.headline) + "\n\n";
  if (report.first) text += Plain(WhenInWords(*report.first)) + "\n\n" + FirstMarkdown(*report.first);
  if (!report.ends.empty()) text += "| ranks | ended |\n|---|---|\n";
  for (const report::RankEnds& ends : report.ends)
    text += "| " + Plain(RanksInWords(ends.ranks)) + " | " + Plain(EndInWords(ends)) + " |\n";
  if (!report.waits.empty()) text += "\n| ranks | waiting in |\n|---|---|\n";
  for (const report::RankWait& wait : report.waits)
    text += "| " + Plain(RanksInWords(wait.ranks)) + " | " + Plain(WaitInWords(wait)) + " |\n";
  if (!report.not_waiting.empty())
    text += "\n" + Plain(RanksInWords(report.not_waiting)) + ": not waiting in the first of these\n";
  if (!report.differences.empty()) text += "\n| difference | ranks | value |\n|---|---|---|\n";
  for (const report::RankDifference& difference : report.differences) {
    for (const auto& value : difference.values)
      text += "| " + Plain(difference.what) + " | " + Plain(RanksInWords(value.ranks)) + " | " +
              Plain(ValueInWords(difference, value)) + " |\n";
  }
  for (const report::SharedDevice& shared : report.shared)
    text += "\n- ranks on the same GPU: " + Plain(SharedInWords(shared));
  for (const report::NotRead& one : report.not_read)
    text += "\n- not read: " + Code(one.what) + ": " + Plain(one.why);
  return text + "\n\nculprit " + std::string(base::ProductVersion()) + "\n";
}

}  // namespace culprit::render

// The ranks of a job for the terminal: the one that failed first and why, how the others ended, where they
// wait, what is different.
#include "base/text.h"

#include <fmt/format.h>

#include "render/finding.h"
#include "render/ranks/ranks.h"
#include "render/ranks/words.h"
#include "render/wrapped.h"

namespace culprit::render {
namespace {

constexpr size_t kLineWidth = 96, kLabelWidth = 11;
constexpr size_t kMostRankRows = 12;  // without --verbose

std::string LabelledRow(std::string_view label, const std::string& text) {
  std::string rows;
  if (text.empty()) return rows;
  for (const std::string& line : Wrapped(text, kLineWidth - kLabelWidth)) {
    rows += fmt::format("  {:<8} {}\n", label, line);
    label = "";
  }
  return rows;
}

std::string BulletRows(const std::string& text) {
  std::string rows, margin = "  ";
  for (const std::string& line : Wrapped(text, kLineWidth - 4)) {
    rows += margin + line + "\n";
    margin = "    ";
  }
  return rows;
}

std::string EndRows(const report::RanksReport& report, const Style& style) {
  if (report.ends.empty()) return "";
  std::string text = "\n" + style.Bold("how the ranks ended") + "\n";
  for (const report::RankEnds& ends : report.ends)
    text += BulletRows(RanksInWords(ends.ranks) + ": " + EndInWords(ends));
  return text;
}

std::string FindingRows(const report::FirstRank& first, const Style& style) {
  const report::RankFinding& finding = first.finding;
  const bool more = !finding.cause.empty() || !finding.last_words.empty();
  if (!more) return "";  // the first line has its headline
  const std::string title = finding.cause.empty() ? "error" : "cause: " + finding.cause;
  std::string text = "\n" + style.Bold(title) + style.Dim(fmt::format("  rank {}", first.rank)) + "\n";
  for (const std::string& line : finding.evidence) text += LabelledRow("seen", "\"" + line + "\"");
  text += LabelledRow("why", finding.because);
  text += LabelledRow("last", finding.last_words);
  text += LabelledRow("fix", finding.fix);
  for (const std::string& command : finding.commands)
    text += fmt::format("  {:<8}   {}\n", "", style.Good(command));
  if (!finding.code.empty())
    text +=
        fmt::format("  {:<8} {}\n", "more", style.Dim("culprit explain " + base::Printable(finding.code)));
  return text;
}

std::string WaitRows(const report::RanksReport& report, const Style& style) {
  if (report.waits.empty()) return "";
  std::string text = "\n" + style.Bold("what the ranks were waiting in") + "\n";
  for (const report::RankWait& wait : report.waits)
    text += BulletRows(RanksInWords(wait.ranks) + ": " + WaitInWords(wait));
  if (!report.not_waiting.empty())
    text +=
        "  " + style.Warn(RanksInWords(report.not_waiting) + ": not waiting in the first of these") + "\n";
  return text;
}

std::string DifferenceRows(const report::RanksReport& report, bool verbose, const Style& style) {
  if (report.differences.empty()) return "";
  std::string text = "\n" + style.Bold("differences between ranks") + "\n";
  size_t shown = 0;
  for (const report::RankDifference& difference : report.differences) {
    if (shown++ == kMostRankRows && !verbose)
      return text +
             style.Dim(fmt::format("  and {} more: --verbose", report.differences.size() - kMostRankRows)) +
             "\n";
    text += "  " + style.Warn(base::Printable(difference.what)) + "\n";
    for (const auto& value : difference.values)
      text += "  " + BulletRows(RanksInWords(value.ranks) + ": " + ValueInWords(difference, value));
  }
  return text;
}

std::string SharedRows(const report::RanksReport& report, const Style& style) {
  if (report.shared.empty()) return "";
  std::string text = "\n" + style.Bold("ranks that use the same GPU") + "\n";
  for (const report::SharedDevice& shared : report.shared) text += BulletRows(SharedInWords(shared));
  return text + LabelledRow("fix",
                            "start one process per GPU and choose the device from the local rank before "
                            "anything else uses CUDA");
}

std::string NotReadRows(const report::RanksReport& report, bool verbose, const Style& style) {
  if (report.not_read.empty()) return "";
  std::string text = "\n" + style.Bold("not read") + "\n";
  for (size_t i = 0; i < report.not_read.size(); ++i) {
    if (i == kMostRankRows && !verbose)
      return text + style.Dim(fmt::format("  and {} more: --verbose", report.not_read.size() - i)) + "\n";
    text += BulletRows(report.not_read[i].what + ": " + report.not_read[i].why);
  }
  return text;
}

}  // namespace

std::string ToText(const report::RanksReport& report, const Style& style, bool verbose) {
  std::string text;
  for (const std::string& line : Wrapped(report.headline, kLineWidth))
    text += VerdictText(report.verdict, line, style) + "\n";
  const std::string when = report.first ? WhenInWords(*report.first) : "";
  if (!when.empty()) text += style.Dim(base::Printable(when)) + "\n";
  text += EndRows(report, style);
  if (report.first) text += FindingRows(*report.first, style);
  text += SharedRows(report, style) + WaitRows(report, style) + DifferenceRows(report, verbose, style) +
          NotReadRows(report, verbose, style);
  if (!report.place.empty())
    text += "\n" +
            style.Dim("the records of all ranks: culprit run --merge " + base::Printable(report.place)) +
            "\n";
  return text;
}

}  // namespace culprit::render

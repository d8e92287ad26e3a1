// The diagnosis for the terminal: the verdict, findings worst first, the stack as a table, what was not
// checked.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "render/check/check.h"
#include "render/finding.h"
#include "render/fix/fix.h"

namespace culprit::render {
namespace {

using report::Finding;
using report::Severity;

std::string ShortNote(const Finding& finding, const Style& style) {
  return fmt::format("{}  {}\n", SeverityText(finding.severity, "note " + finding.code, style),
                     base::Printable(finding.summary));
}

std::string StackText(const std::vector<report::StackRow>& rows, const Style& style) {
  std::array<size_t, 2> width{};
  for (const report::StackRow& row : rows) {
    width[0] = std::max(width[0], row.what.size() + 2 * row.depth);
    width[1] = std::max(width[1], base::Printable(row.value).size());
  }
  width[1] = std::min<size_t>(width[1], 28);
  std::string text;
  for (const report::StackRow& row : rows) {
    const std::string what = std::string(2 * row.depth, ' ') + row.what;
    std::string line = fmt::format("  {:<{}}  {:<{}}", base::Printable(what), width[0],
                                   base::Printable(row.value), width[1]);
    if (!row.where.empty()) line += "  " + base::Printable(row.where);
    if (!row.detail.empty())
      line += "  " + style.Dim(row.where.empty() ? row.detail : "(" + row.detail + ")");
    while (line.ends_with(' ')) line.pop_back();
    text += line + "\n";
  }
  return text;
}

std::string Listed(const char* title, const std::vector<report::NotChecked>& items, const Style& style) {
  std::string text = items.empty() ? "" : "\n" + style.Bold(title) + "\n";
  for (const report::NotChecked& item : items)
    text += fmt::format("  {}: {}\n", base::Printable(item.what), base::Printable(item.why));
  return text;
}

}  // namespace

std::string SeverityText(Severity severity, std::string_view text, const Style& style) {
  switch (severity) {
    case Severity::kError:
      return style.Bad(text);
    case Severity::kWarning:
      return style.Warn(text);
    case Severity::kNote:
      return style.Bold(text);
  }
  return style.Bold(text);
}

std::string VerdictText(report::Verdict verdict, const std::string& headline, const Style& style) {
  switch (verdict) {
    case report::Verdict::kOk:
      return style.Good(headline);
    case report::Verdict::kErrors:
      return style.Bad(headline);
    case report::Verdict::kWarnings:
    case report::Verdict::kUnknown:
      return style.Warn(headline);
  }
  return headline;
}

std::vector<report::NotChecked> IgnoredLines(const report::CheckReport& report) {
  std::vector<report::NotChecked> lines;
  for (const report::Ignored& one : report.ignored) {
    if (one.findings.empty()) continue;
    const std::string times = one.findings.size() == 1 ? "" : fmt::format(" x {}", one.findings.size());
    const std::string reason = one.reason.empty() ? "no reason given" : one.reason;
    lines.push_back({.what = one.code + times, .why = fmt::format("{} ({})", reason, one.source)});
  }
  return lines;
}

std::string Caution(const report::Fix& fix) {
  if (!fix.proof || !fix.proof->Rejects()) return "";
  return "tried in memory, this fix " + ProofWords(*fix.proof);
}

std::string LayerWords(const report::Layer& layer) {
  constexpr size_t kMost = 160, kDigest = 19;  // "sha256:" and 12 digits
  std::string words =
      fmt::format("{}{} of {}", layer.configuration ? "on top of " : "", layer.index, layer.count);
  const std::string& made = layer.instruction;
  if (!made.empty()) words += ": " + (made.size() > kMost ? made.substr(0, kMost) + " ..." : made);
  if (made.empty() && !layer.digest.empty()) words += " (" + layer.digest.substr(0, kDigest) + ")";
  return words;
}

std::string FindingText(const report::Finding& finding, const Style& style) {
  std::string text = fmt::format(
      "{}  {}\n",
      SeverityText(finding.severity, fmt::format("{} {}", Name(finding.severity), finding.code), style),
      style.Bold(finding.summary));
  const char* label = "proof";
  // If several sources say the same, say it once.
  for (auto at = finding.evidence.begin(); at != finding.evidence.end();) {
    const auto next = std::find_if_not(at, finding.evidence.end(),
                                       [&](const auto& other) { return other.fact == at->fact; });
    const auto others = next - at - 1;
    text += fmt::format(
        "  {:<8} {}  {}\n", label, base::Printable(at->fact),
        style.Dim("[" + at->source + (others > 0 ? fmt::format(" and {} more", others) : "") + "]"));
    at = next;
    label = "";
  }
  label = "affects";
  for (const std::string& affected : finding.affects) {
    text += fmt::format("  {:<8} {}\n", label, base::Printable(affected));
    label = "";
  }
  if (finding.layer)
    text += fmt::format("  {:<8} {}\n", "layer", base::Printable(LayerWords(*finding.layer)));
  if (!finding.fix.text.empty())
    text += fmt::format("  {:<8} {}\n", "fix", base::Printable(finding.fix.text));
  for (const std::string& command : report::Texts(finding.fix.commands)) {
    text += fmt::format("  {:<8}   {}\n", "", style.Good(command));
  }
  if (const std::string caution = Caution(finding.fix); !caution.empty())
    text += fmt::format("  {:<8} {}\n", "caution", style.Warn(base::Printable(caution)));
  for (const std::string& link : finding.links)
    text += fmt::format("  {:<8} {}\n", "see", base::Printable(link));
  return text;
}

std::string ToText(const report::CheckReport& report, const Style& style, const CheckDetail& detail) {
  std::string text = VerdictText(report.verdict, report.headline, style) + "\n";
  bool notes = false;
  for (const Finding& finding : report.findings) {
    if (finding.severity == Severity::kNote && !detail.verbose) {
      text += (notes ? "" : "\n") + ShortNote(finding, style);
      notes = true;
    } else {
      text += "\n" + FindingText(finding, style);
    }
  }
  text += "\n" + style.Bold("stack") + "\n" + StackText(report.stack, style);
  text += Listed("ignored", IgnoredLines(report), style) + Listed("not checked", report.not_checked, style);
  const auto explained = std::ranges::find_if(report.findings, &Finding::has_page);
  if (explained != report.findings.end())
    text += "\n" + style.Dim("more: culprit explain " + explained->code) + "\n";
  return text;
}

std::string ToText(const std::vector<report::RulePage>& rules, const Style& style) {
  std::string text;
  for (const report::RulePage& rule : rules) {
    text +=
        fmt::format("{}  {:<7}  {:<28}  {}\n", style.Bold(rule.code), rule.severity, rule.cause, rule.title);
  }
  return text;
}

std::string ToText(const report::RulePage& page, const Style& style) {
  std::string text = fmt::format("{}  {}\n{} | cause {} | since {}\n", style.Bold(page.code),
                                 style.Bold(page.title), page.severity, page.cause, page.since);
  std::string line;
  for (const char c : page.page + "\n") {
    if (c != '\n') {
      line += c;
      continue;
    }
    text += line.starts_with("## ") ? style.Bold(line.substr(3)) : "  " + base::Printable(line);
    while (text.ends_with(' ')) text.pop_back();
    text += '\n';
    line.clear();
  }
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace culprit::render

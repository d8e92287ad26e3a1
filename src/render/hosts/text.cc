// The table of hosts for the terminal.
#include <fmt/format.h>

#include <algorithm>

#include "render/finding.h"
#include "render/hosts/hosts.h"
#include "render/hosts/words.h"

namespace culprit::render {
namespace {

using report::HostRow;
using report::Runs;

std::string RunsText(Runs runs, size_t width, const Style& style) {
  const std::string words(InWords(runs));
  const std::string padding(width - words.size(), ' ');
  switch (runs) {
    case Runs::kYes:
    case Runs::kByMinorVersion:
    case Runs::kByForwardCompatibility:
      return style.Good(words) + padding;
    case Runs::kUnknown:
      return style.Warn(words) + padding;
    case Runs::kNo:
      return style.Bad(words) + padding;
  }
  return words + padding;
}

std::string TableText(const report::HostsReport& report, const Style& style) {
  constexpr std::string_view kHost = "host", kRuns = "runs";
  size_t label = kHost.size(), runs = kRuns.size();
  for (const HostRow& row : report.hosts) {
    label = std::max(label, base::Printable(row.found.host.Label()).size());
    runs = std::max(runs, InWords(row.found.runs).size());
  }
  label = std::min<size_t>(label, 40);
  std::string text = "  " + style.Dim(fmt::format("{:<{}}  {:<{}}  why", kHost, label, kRuns, runs)) + "\n";
  for (const HostRow& row : report.hosts) {
    const HostReason reason = ReasonOf(report, row);
    text += fmt::format("  {:<{}}  {}  ", base::Printable(row.found.host.Label()), label,
                        RunsText(row.found.runs, runs, style));
    if (reason.finding != nullptr) text += reason.finding->code + " ";
    text += base::Printable(reason.words);
    while (text.ends_with(' ')) text.pop_back();
    text += "\n";
  }
  return text;
}

// What the names stand for; "" if no host has one.
std::string NamesText(const report::HostsReport& report, const Style& style) {
  std::string text;
  for (const HostRow& row : report.hosts) {
    if (row.found.host.name.empty()) continue;
    text += fmt::format("  {}: {}\n", base::Printable(row.found.host.name),
                        base::Printable(row.found.host.words));
  }
  return text.empty() ? "" : "\n" + style.Bold("hosts") + "\n" + text;
}

std::string LinesText(const char* title, const std::vector<report::NotChecked>& lines, const Style& style) {
  std::string text = lines.empty() ? "" : "\n" + style.Bold(title) + "\n";
  for (const report::NotChecked& line : lines)
    text += fmt::format("  {}: {}\n", base::Printable(line.what), base::Printable(line.why));
  return text;
}

}  // namespace

std::string ToText(const report::HostsReport& report, const Style& style, bool verbose) {
  std::string text = VerdictText(report.verdict, report.headline, style) + "\n\n" + TableText(report, style);
  bool notes = false;
  for (const report::FindingOnHosts& item : report.findings) {
    const std::string hosts = base::Printable(HostsInWords(report, item.hosts));
    if (item.finding.severity == report::Severity::kNote && !verbose) {
      text += (notes ? "" : "\n") +
              fmt::format("{}  {}\n", SeverityText(item.finding.severity, "note " + item.finding.code, style),
                          base::Printable(item.finding.summary));
      notes = true;
    } else {
      text += "\n" + FindingText(item.finding, style) + fmt::format("  {:<8} {}\n", "hosts", hosts);
    }
  }
  text += NamesText(report, style) + LinesText("ignored", IgnoredLines(AsOneCheck(report)), style) +
          LinesText("not checked", NotCheckedLines(report), style);
  const auto explained =
      std::ranges::find_if(report.findings, [](const auto& item) { return item.finding.has_page(); });
  if (explained != report.findings.end())
    text += "\n" + style.Dim("more: culprit explain " + explained->finding.code) + "\n";
  return text;
}

}  // namespace culprit::render

// The table of hosts for the summary of a job. Untrusted text cannot become markup.
#include "render/markdown.h"

#include "base/product_version.h"
#include "render/finding.h"
#include "render/hosts/hosts.h"
#include "render/hosts/words.h"

namespace culprit::render {
namespace {

std::string_view Mark(report::Runs runs) {
  switch (runs) {
    case report::Runs::kNo:
      return "❌ ";
    case report::Runs::kUnknown:
      return "❔ ";
    default:
      return "✅ ";
  }
}

std::string FoldedLines(const std::string& title, const std::vector<report::NotChecked>& items) {
  std::string lines;
  for (const auto& item : items) lines += "- " + Plain(item.what) + ": " + Plain(item.why) + "\n";
  return lines.empty() ? "" : Folded(title, lines) + "\n";
}

}  // namespace

std::string ToMarkdown(const report::HostsReport& report) {
  std::string text =
      "### culprit check: " + Plain(report.headline) + "\n\n| host | runs | why |\n|---|---|---|\n";
  for (const report::HostRow& row : report.hosts) {
    const report::Host& host = row.found.host;
    const HostReason reason = ReasonOf(report, row);
    text += "| " + (host.name.empty() ? "" : Plain(host.name) + "<br>") + Code(host.words) + " | " +
            std::string(Mark(row.found.runs)) + std::string(InWords(row.found.runs)) + " | " +
            (reason.finding != nullptr ? reason.finding->code + " " : "") + Plain(reason.words) + " |\n";
  }
  text += "\n";
  for (const report::FindingOnHosts& item : report.findings)
    text += FindingMarkdown(item.finding) + "Hosts: " + Plain(HostsInWords(report, item.hosts)) + "\n\n";
  text += FoldedLines("ignored", IgnoredLines(AsOneCheck(report))) +
          FoldedLines("not checked", NotCheckedLines(report));
  return text + "culprit " + std::string(base::ProductVersion()) + "\n";
}

}  // namespace culprit::render

// The table of hosts as a page.
#include "render/finding.h"
#include "render/hosts/hosts.h"
#include "render/hosts/words.h"
#include "render/page/sections.h"

namespace culprit::render {
namespace {

std::string_view ClassOf(report::Runs runs) {
  switch (runs) {
    case report::Runs::kNo:
      return "no";
    case report::Runs::kUnknown:
      return "unknown";
    default:
      return "yes";
  }
}

std::string RowHtml(const report::HostsReport& report, const report::HostRow& row, const PageText& text) {
  const report::Host& host = row.found.host;
  const HostReason reason = ReasonOf(report, row);
  std::string html = "<tr class=\"" + std::string(ClassOf(row.found.runs)) + "\"><th scope=\"row\">";
  if (!host.name.empty()) html += "<span class=\"name\">" + text.Html(host.name) + "</span>";
  html += "<span class=\"code\">" + text.Html(host.words) + "</span></th><td class=\"runs\">" +
          std::string(InWords(row.found.runs)) + "</td><td>";
  if (reason.finding != nullptr)
    html += "<a class=\"code\" href=\"#finding-" + std::to_string(reason.place) + "\">" +
            text.Html(reason.finding->code) + "</a> ";
  return html + text.Sentence(reason.words) + "</td></tr>";
}

}  // namespace

std::string ToHtml(const report::HostsReport& report, const PageFacts& facts) {
  const PageText text(facts);
  std::string rows, articles, notes;
  for (const report::HostRow& row : report.hosts) rows += RowHtml(report, row, text);
  for (size_t i = 0; i < report.findings.size(); ++i) {
    const auto& [finding, hosts] = report.findings[i];
    const std::string on = "<p class=\"affects\">Hosts: " + text.Html(HostsInWords(report, hosts)) + "</p>";
    (finding.severity == report::Severity::kNote ? notes : articles) += FindingArticle(finding, i, text, on);
  }
  if (!notes.empty()) articles += "<details class=\"notes\"><summary>Notes</summary>" + notes + "</details>";
  std::string main =
      VerdictSection(std::string(Name(report.verdict)), std::to_string(report.hosts.size()) + " hosts",
                     text.Sentence(report.headline));
  main +=
      Section("hosts", "Hosts",
              "<table class=\"hosts\"><thead><tr><th scope=\"col\">Host</th><th scope=\"col\">Runs</th><th "
              "scope=\"col\">Why</th></tr></thead><tbody>" +
                  rows + "</tbody></table>");
  if (!articles.empty()) main += Section("findings", "Findings", articles);
  main += NotCheckedSection(IgnoredLines(AsOneCheck(report)), "Ignored", text) +
          NotCheckedSection(NotCheckedLines(report), "Not checked", text);
  return WholePage({.kind = "check", .title = "culprit: " + text.Words(report.headline), .main = main}, facts,
                   text);
}

}  // namespace culprit::render

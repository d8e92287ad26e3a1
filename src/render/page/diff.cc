// `culprit diff` as a page: new findings, then every difference, the likeliest cause first.
#include <algorithm>

#include "render/finding.h"
#include "render/page/sections.h"

namespace culprit::render {
namespace {

constexpr int kWorthReading = 20;  // of report::Difference::suspicion

std::string Table(const std::string& rows) {
  return "<table class=\"differences\"><thead><tr><th scope=\"col\"><span "
         "class=\"hidden\">How</span></th><th "
         "scope=\"col\">What</th><th scope=\"col\">Before and after</th><th scope=\"col\">Why it ranks "
         "here</th></tr></thead><tbody>" +
         rows + "</tbody></table>";
}

std::string DifferenceRow(const report::Difference& difference, const PageText& text) {
  const char* weight = difference.suspicion >= 60              ? "high"
                       : difference.suspicion >= kWorthReading ? "middle"
                                                               : "low";
  std::string html = "<tr class=\"" + std::string(weight) + "\"><td><span class=\"how " +
                     std::string(Name(difference.how)) + "\">" + std::string(Name(difference.how)) +
                     "</span></td><th scope=\"row\">" + text.Sentence(difference.summary) +
                     "<span class=\"detail\">" + text.Html(base::Word(difference.kind)) + "</span></th><td>";
  if (!difference.before.empty()) html += "<del>" + text.Sentence(difference.before) + "</del>";
  if (!difference.after.empty()) html += "<ins>" + text.Sentence(difference.after) + "</ins>";
  std::string follows;
  for (const std::string& line : difference.leads_to) follows += "<li>" + text.Sentence(line) + "</li>";
  if (difference.more > 0) follows += "<li>and " + std::to_string(difference.more) + " more</li>";
  if (!follows.empty()) html += Fold("Effects", "<ul class=\"proof\">" + follows + "</ul>");
  html += "</td><td>" + text.Sentence(difference.why);
  if (difference.layer) html += " Layer " + text.Sentence(LayerWords(*difference.layer));
  for (const std::string& code : difference.findings)
    html += " <span class=\"code\">" + text.Html(code) + "</span>";
  return html + "</td></tr>";
}

}  // namespace

std::string ToHtml(const report::DiffReport& report, const PageFacts& facts) {
  const PageText text(facts);
  const auto came = [&](report::Severity severity) {
    return std::ranges::any_of(report.new_findings,
                               [&](const report::Finding& finding) { return finding.severity == severity; });
  };
  const std::string level = came(report::Severity::kError)                      ? "errors"
                            : came(report::Severity::kWarning)                  ? "warnings"
                            : report.verdict_after == report::Verdict::kUnknown ? "unknown"
                                                                                : "ok";
  std::string remarks;
  for (const std::string& remark : report.remarks)
    remarks += "<p class=\"affects\">" + text.Sentence(remark) + "</p>";
  std::string main =
      VerdictSection(level,
                     text.Words(report.before) + ": " + std::string(Name(report.verdict_before)) + "; " +
                         text.Words(report.after) + ": " + std::string(Name(report.verdict_after)),
                     text.Sentence(report.headline), remarks);
  main += FindingsSection(report.new_findings, 0, "New findings", text);
  std::string rows, noise, gone;
  for (const report::Difference& difference : report.differences)
    (difference.suspicion >= kWorthReading ? rows : noise) += DifferenceRow(difference, text);
  if (!rows.empty()) main += Section("differences", "What changed, most likely cause first", Table(rows));
  main += PictureSection(facts);
  for (const report::Finding& finding : report.gone_findings)
    gone += "<li><span class=\"code\">" + text.Html(finding.code) + "</span> " +
            text.Sentence(finding.summary) + "</li>";
  if (!gone.empty()) main += Section("gone", "Fixed findings", "<ul class=\"gone\">" + gone + "</ul>");
  if (!noise.empty())
    main += Section("noise", "Unlikely causes", Fold("Differences that rarely matter", Table(noise)));
  main += NotCheckedSection(report.not_compared, "Not compared", text);
  return WholePage({.kind = "diff", .title = "culprit: " + text.Words(report.headline), .main = main}, facts,
                   text);
}

}  // namespace culprit::render

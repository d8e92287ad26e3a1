// `culprit diff` as a page: findings that came, then every difference, the likeliest to matter first.
#include "render/page_sections.h"

namespace culprit::render {
namespace {

std::string Row(const report::Difference& difference, const PageText& text) {
  const char* weight = difference.suspicion >= 60 ? "high" : difference.suspicion >= 20 ? "middle" : "low";
  std::string html = "<tr class=\"" + std::string(weight) + "\"><td><span class=\"how " +
                     std::string(Name(difference.how)) + "\">" + std::string(Name(difference.how)) +
                     "</span></td><th scope=\"row\">" + text.Sentence(difference.summary) +
                     "<span class=\"detail\">" + text.Html(difference.kind) + "</span></th><td>";
  if (!difference.before.empty()) html += "<del>" + text.Sentence(difference.before) + "</del>";
  if (!difference.after.empty()) html += "<ins>" + text.Sentence(difference.after) + "</ins>";
  html += "</td><td>" + text.Sentence(difference.why);
  for (const std::string& code : difference.findings)
    html += " <span class=\"code\">" + text.Html(code) + "</span>";
  std::string effects;
  for (const std::string& line : difference.leads_to) effects += "<li>" + text.Sentence(line) + "</li>";
  if (difference.more > 0) effects += "<li>and " + std::to_string(difference.more) + " more</li>";
  if (!effects.empty()) html += Fold("leads to", "<ul>" + effects + "</ul>");
  return html + "</td></tr>";
}

}  // namespace

std::string ToHtml(const report::DiffReport& report, const PageFacts& facts) {
  const PageText text(facts);
  bool worse = false;
  for (const report::Finding& finding : report.new_findings)
    worse |= finding.severity != report::Severity::kNote;
  const bool unknown = report.verdict_after == report::Verdict::kUnknown;
  std::string remarks;
  for (const std::string& remark : report.remarks) remarks += "<p>" + text.Sentence(remark) + "</p>";
  std::string main = VerdictSection(worse     ? "errors"
                                    : unknown ? "unknown"
                                              : "ok",
                                    text.Words(report.before) + " and " + text.Words(report.after),
                                    text.Sentence(report.headline), remarks);
  std::string came, gone;
  for (size_t i = 0; i < report.new_findings.size(); ++i)
    came += FindingArticle(report.new_findings[i], i, text);
  if (!came.empty()) main += Section("findings", "Wrong now, and not before", came);
  std::string rows;
  for (const report::Difference& difference : report.differences) rows += Row(difference, text);
  if (!rows.empty())
    main += Section(
        "differences", "What is different",
        "<table class=\"differences\"><thead><tr><th scope=\"col\"></th><th scope=\"col\">What</th><th "
        "scope=\"col\">Before and after</th><th scope=\"col\">Why it stands here</th></tr></thead><tbody>" +
            rows + "</tbody></table>");
  for (const report::Finding& finding : report.gone_findings)
    gone += "<li><span class=\"code\">" + text.Html(finding.code) + "</span> " +
            text.Sentence(finding.summary) + "</li>";
  if (!gone.empty()) main += Section("gone", "No longer wrong", "<ul class=\"gone\">" + gone + "</ul>");
  main += PictureSection(facts) + NotCheckedSection(report.not_compared, "Not compared", text);
  return WholePage({.kind = "diff", .title = "culprit: " + text.Words(report.headline), .main = main}, facts,
                   text);
}

}  // namespace culprit::render

// Findings, the stack table, and what was not checked, as HTML.
#include <string>

#include "render/finding.h"
#include "render/page/sections.h"

namespace culprit::render {
namespace {

using report::Finding;
using report::Severity;

std::string Counted(size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string ProofPart(const Finding& finding, const PageText& text) {
  if (finding.evidence.empty()) return "";
  std::string items;
  for (const report::Evidence& item : finding.evidence) {
    items += "<li><span class=\"fact\">" + text.Sentence(item.fact) + "</span>";
    if (!item.source.empty()) items += "<span class=\"source\">" + text.Sentence(item.source) + "</span>";
    items += "</li>";
  }
  return Fold("Proof <span class=\"count\">" + Counted(finding.evidence.size(), "fact") + "</span>",
              "<ul class=\"proof\">" + items + "</ul>");
}

std::string FixPart(const Finding& finding, const PageText& text) {
  const auto commands = report::Texts(finding.fix.commands);
  if (finding.fix.text.empty() && commands.empty()) return "";
  std::string html = "<div class=\"fix\"><h4>Fix</h4>";
  if (!finding.fix.text.empty()) html += "<p>" + text.Sentence(finding.fix.text) + "</p>";
  html += CommandBlock(commands, text);
  if (const std::string caution = Caution(finding.fix); !caution.empty())
    html += "<p class=\"risk\">Caution: " + text.Sentence(caution) + "</p>";
  if (finding.fix.risk != report::Risk::kUnknown && finding.fix.risk != report::Risk::kNone)
    html += "<p class=\"risk\">Risk of these commands: " + std::string(base::Word(finding.fix.risk)) + "</p>";
  return html + "</div>";
}

}  // namespace

std::string CommandBlock(const std::vector<std::string>& commands, const PageText& text) {
  if (commands.empty()) return "";
  std::string lines;
  for (size_t i = 0; i < commands.size(); ++i) lines += (i == 0 ? "" : "\n") + text.Lines(commands[i]);
  return "<div class=\"command\"><pre><code>" + lines + "</code></pre></div>";
}

std::string FindingArticle(const Finding& finding, size_t place, const PageText& text,
                           const std::string& below_html) {
  const std::string id = "finding-" + std::to_string(place);
  std::string html = "<article class=\"finding " + std::string(Name(finding.severity)) + "\" id=\"" + id +
                     "\" aria-labelledby=\"" + id + "-title\"><p class=\"tags\"><span class=\"severity\">" +
                     std::string(Name(finding.severity)) + "</span> " +
                     text.CodeAndCause(finding.code, finding.cause) + "</p><h3 id=\"" + id + "-title\">" +
                     text.Sentence(finding.summary) + "</h3>";
  if (!finding.affects.empty()) {
    html += "<p class=\"affects\">Affects ";
    for (size_t i = 0; i < finding.affects.size(); ++i)
      html += (i == 0 ? "" : ", ") + text.Sentence(finding.affects[i]);
    html += "</p>";
  }
  if (finding.layer)
    html += "<p class=\"affects\">Layer " + text.Sentence(LayerWords(*finding.layer)) + "</p>";
  html += below_html + FixPart(finding, text) + ProofPart(finding, text);
  std::string links;
  for (const std::string& link : finding.links) links += "<li>" + text.Sentence(link) + "</li>";
  if (!links.empty()) html += Fold("Read more", "<ul class=\"links\">" + links + "</ul>");
  return html + "</article>";
}

std::string FindingsSection(const std::vector<Finding>& findings, size_t from, const std::string& heading,
                            const PageText& text) {
  std::string articles, notes;
  size_t count = 0;
  for (size_t i = from; i < findings.size(); ++i) {
    const bool note = findings[i].severity == Severity::kNote;
    (note ? notes : articles) += FindingArticle(findings[i], i, text);
    count += note ? 1 : 0;
  }
  // Notes need no action, so they are folded.
  if (!notes.empty())
    articles +=
        "<details class=\"notes\"><summary>" + Counted(count, "note") + "</summary>" + notes + "</details>";
  return articles.empty() ? "" : Section("findings", heading, articles);
}

std::string StackSection(const std::vector<report::StackRow>& stack, const PageText& text) {
  if (stack.empty()) return "";
  std::string rows;
  for (const report::StackRow& row : stack) {
    rows += "<tr class=\"depth" + std::to_string(row.depth < 3 ? row.depth : 3) + "\"><th scope=\"row\">" +
            text.Html(row.what) + "</th><td class=\"value" + (row.none ? " none" : "") + "\">" +
            text.Html(row.value) + "</td><td>" +
            (row.where.empty() ? "" : "<span class=\"where\">" + text.Sentence(row.where) + "</span>") +
            (row.detail.empty() ? "" : "<span class=\"detail\">" + text.Sentence(row.detail) + "</span>") +
            "</td></tr>";
  }
  return Section("stack", "The stack", "<table class=\"stack\"><tbody>" + rows + "</tbody></table>");
}

std::string NotCheckedSection(const std::vector<report::NotChecked>& items, const std::string& heading,
                              const PageText& text) {
  if (items.empty()) return "";
  std::string rows;
  for (const report::NotChecked& item : items)
    rows += "<dt>" + text.Sentence(item.what) + "</dt><dd>" + text.Sentence(item.why) + "</dd>";
  return Section("unknown", heading, "<dl class=\"unknown\">" + rows + "</dl>");
}

}  // namespace culprit::render

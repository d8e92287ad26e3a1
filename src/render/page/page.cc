// The page itself, and the page of `check`. Its content security policy allows only our scripts and styles,
// by hash. So nothing else runs in it, even if some text gets through as markup.
#include "render/page/page.h"

#include <array>

#include "render/page/data.h"
#include "render/page/frame.h"
#include "render/page/sections.h"
#include "render/page_parts.h"

namespace culprit::render {

std::string WholePage(const PageBody& body, const PageFacts& facts, const PageText& text) {
  const std::string style = BaseStyle() + PageStyle(), script = PageScript();
  const std::array<FramePart, 9> parts = {{
      {"title", EscapeHtml(body.title)},
      {"kind", EscapeHtml(body.kind)},
      {"policy", "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; style-src " +
                     HashOf(style) + "; script-src " + HashOf(script)},
      {"style", style},
      {"script", script},
      {"machine", text.Html(facts.machine)},
      {"made", text.Html(facts.made)},
      {"main", body.main},
      {"data", PageData(facts, text)},
  }};
  return Filled(PageFrame(), parts);
}

std::string VerdictSection(const std::string& level, const std::string& state, const std::string& answer_html,
                           const std::string& below_html) {
  return "<section class=\"verdict " + level + "\" aria-label=\"Verdict\"><p class=\"state\">" +
         EscapeHtml(state) + "</p><h1>" + answer_html + "</h1>" + below_html + "</section>";
}

std::string Section(const std::string& id, const std::string& heading, const std::string& body_html) {
  return "<section class=\"part\" id=\"" + id + "\" aria-labelledby=\"" + id + "-heading\"><h2 id=\"" + id +
         "-heading\">" + heading + "</h2>" + body_html + "</section>";
}

std::string Fold(const std::string& summary_html, const std::string& body_html) {
  return "<details><summary>" + summary_html + "</summary>" + body_html + "</details>";
}

std::string PictureSection(const PageFacts& facts) {
  if (facts.pictures.empty()) return "";
  return Section(
      "picture", "What loads what",
      "<noscript><p>This picture needs JavaScript, which is disabled in your browser.</p></noscript>");
}

std::string TimelineSection(const PageFacts& facts) {
  return facts.timeline.empty() ? "" : Section("timeline", "Timeline", "");
}

std::string ToHtml(const report::CheckReport& report, const PageFacts& facts) {
  const PageText text(facts);
  const bool found =
      report.verdict == report::Verdict::kErrors || report.verdict == report::Verdict::kWarnings;
  std::string main;
  if (found && !report.findings.empty()) {
    // The worst finding is the answer; the others follow.
    main = "<section class=\"verdict " + std::string(Name(report.verdict)) +
           "\" aria-label=\"Verdict\"><p class=\"state\">" + text.Html(report.headline) + "</p>" +
           FindingArticle(report.findings.front(), 0, text) + "</section>";
  } else {
    main = VerdictSection(std::string(Name(report.verdict)),
                          std::to_string(report.rules_run) + " of " + std::to_string(report.rules_total) +
                              " rules had the facts they need",
                          text.Sentence(report.headline));
  }
  main += PictureSection(facts) +
          FindingsSection(report.findings, found ? 1 : 0, found ? "Also found" : "Notes", text) +
          StackSection(report.stack, text) + NotCheckedSection(IgnoredLines(report), "Ignored", text) +
          NotCheckedSection(report.not_checked, "Not checked", text);
  return WholePage({.kind = "check", .title = "culprit: " + text.Words(report.headline), .main = main}, facts,
                   text);
}

}  // namespace culprit::render

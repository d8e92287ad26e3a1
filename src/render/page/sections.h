// The parts that pages share, as HTML. They work without the script, which only adds the picture, the
// timeline and buttons.
#pragma once

#include <string>
#include <vector>

#include "render/page/text.h"
#include "report/check.h"

namespace culprit::render {

// The answer in one large line, with HTML below it. `level`: "errors", "warnings", "ok", "unknown".
std::string VerdictSection(const std::string& level, const std::string& state, const std::string& answer_html,
                           const std::string& below_html = "");
// With folded proof, and commands with a copy button. `place`: its index in the report, for links from the
// picture; `below_html`: more of what it concerns.
std::string FindingArticle(const report::Finding& finding, size_t place, const PageText& text,
                           const std::string& below_html = "");
std::string FindingsSection(const std::vector<report::Finding>& findings, size_t from,
                            const std::string& heading, const PageText& text);
std::string CommandBlock(const std::vector<std::string>& commands, const PageText& text);
std::string StackSection(const std::vector<report::StackRow>& stack, const PageText& text);
std::string NotCheckedSection(const std::vector<report::NotChecked>& items, const std::string& heading,
                              const PageText& text);
// Where the script draws; "" if there is nothing to draw.
std::string PictureSection(const PageFacts& facts);
std::string TimelineSection(const PageFacts& facts);
// <section> with a heading and `body_html`.
std::string Section(const std::string& id, const std::string& heading, const std::string& body_html);
// <details>, closed.
std::string Fold(const std::string& summary_html, const std::string& body_html);

struct PageBody {
  std::string kind;   // "check", "run", "diff"
  std::string title;  // plain words, for the browser's tab
  std::string main;   // HTML
};
std::string WholePage(const PageBody& body, const PageFacts& facts, const PageText& text);

}  // namespace culprit::render

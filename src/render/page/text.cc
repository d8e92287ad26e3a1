#include "render/page/text.h"

#include "base/text.h"
#include "render/redact.h"
#include "render/site/site.h"
#include "render/windows_spelling.h"

namespace culprit::render {
namespace {

bool LooksLikePath(std::string_view word) {
  const bool drive = word.size() > 2 && word[1] == ':' && word[2] == '\\';
  return word.size() > 1 && (word[0] == '/' || word.starts_with("~/") || drive);
}

bool IsLibrary(std::string_view word) {
  return word.find('/') == std::string_view::npos && word.find('\\') == std::string_view::npos &&
         (word.find(".so.") != std::string_view::npos || word.ends_with(".so") || word.ends_with(".dll"));
}

// A path with break points after its slashes.
std::string Breakable(std::string_view path) {
  std::string html;
  for (size_t from = 0; from < path.size();) {
    const size_t slash = path.find_first_of("/\\", from + 1);
    const size_t end = slash == std::string_view::npos ? path.size() : slash;
    html += EscapeHtml(path.substr(from, end - from));
    if (end != path.size()) html += "<wbr>";
    from = end;
  }
  return html;
}

std::string Marked(std::string_view word) {
  std::string_view core = word;
  while (!core.empty() && std::string_view(",;:.)").find(core.back()) != std::string_view::npos)
    core.remove_suffix(1);
  const std::string_view rest = word.substr(core.size());
  if (LooksLikePath(core)) return "<span class=\"path\">" + Breakable(core) + "</span>" + EscapeHtml(rest);
  if (IsLibrary(core)) return "<b class=\"file\">" + EscapeHtml(core) + "</b>" + EscapeHtml(rest);
  return EscapeHtml(word);
}

}  // namespace

std::string EscapeHtml(std::string_view words) {
  std::string html;
  html.reserve(words.size());
  for (const char c : words) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

std::string PageText::Words(std::string_view text) const {
  std::string words = base::Printable(text);
  if (redact_) words = Redact(words, home_, user_);
  if (windows_) words = InWindowsSpelling(words, Writing::kText);
  return words;
}

std::string PageText::Html(std::string_view text) const { return EscapeHtml(Words(text)); }

std::string PageText::Sentence(std::string_view text) const {
  std::string html;
  bool first = true;
  for (const std::string& word : base::Split(Words(text), ' ')) {
    if (!first) html += ' ';
    first = false;
    html += Marked(word);
  }
  return html;
}

std::string PageText::CodeAndCause(std::string_view code, std::string_view cause) const {
  const auto linked = [&](const std::string& kind, std::string_view words, const std::string& url) {
    const bool link = !url.empty();
    return (link ? "<a class=\"" + kind + "\" href=\"" + EscapeHtml(url) + "\">"
                 : "<span class=\"" + kind + "\">") +
           Html(words) + (link ? "</a>" : "</span>");
  };
  return linked("code", code, CodeUrl(rules_url_, code)) + " " +
         linked("cause", cause, CauseUrl(rules_url_, cause));
}

std::string PageText::Lines(std::string_view text) const {
  std::string html;
  bool first = true;
  for (const std::string& line : base::Split(text, '\n')) {
    if (!first) html += '\n';
    first = false;
    html += Html(line);
  }
  return html;
}

}  // namespace culprit::render

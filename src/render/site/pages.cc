// The page of a code, and the page of a cause.
#include <algorithm>
#include <span>
#include <string>

#include "base/text.h"
#include "render/page/sections.h"
#include "render/page/text.h"
#include "render/site/parts.h"

namespace culprit::render {
namespace {

using Led = SiteParts::Led;

constexpr size_t kMostOpen = 12;  // messages before the rest is folded

std::string MessageCode(const report::KnownMessage& message) {
  std::string lines;
  for (const std::string& line : base::Split(message.text, '\n'))
    lines += (lines.empty() ? "" : "\n") + EscapeHtml(base::Printable(line));
  return "<code class=\"line\">" + lines + "</code>";
}

std::string Answer(const SiteParts& parts, const Led& led) {
  const report::LikelyCause& cause = *led.as;
  std::string html;
  const auto add = [&](const char* what, const std::string& text_html) {
    if (!text_html.empty()) html += "<dt>" + std::string(what) + "</dt><dd>" + text_html + "</dd>";
  };
  add("Means", parts.prose().Line(cause.summary));
  add("Why", parts.prose().Line(cause.because));
  add("Confirm", parts.prose().Line(cause.separate_by));
  std::string commands;
  for (const std::string& command : report::Texts(cause.commands))
    commands += (commands.empty() ? "" : "\n") + EscapeHtml(base::Printable(command));
  if (!commands.empty()) commands = "<pre><code>" + commands + "</code></pre>";
  add("Fix", parts.prose().Line(cause.fix) + commands);
  add("Do not", parts.prose().Line(cause.avoid));
  if (!cause.code.empty()) add("Code", parts.CodeLink(cause.code));
  return "<dl class=\"answer\" id=\"m-" + EscapeHtml(led.message->id) + "\">" + html + "</dl>";
}

// Where its answer is: on the page of its most likely cause.
std::string LinkToAnswer(const Led& led) {
  const std::string target =
      CauseFile(led.message->causes.front().cause) + "#m-" + std::string(led.message->id);
  return "<a href=\"" + EscapeHtml(target) + "\">" + MessageCode(*led.message) + "</a>";
}

std::string MessageList(const std::vector<std::string>& items) {
  const auto list = [](std::span<const std::string> some) {
    std::string html = "<ul class=\"messages\">";
    for (const std::string& item : some) html += "<li>" + item + "</li>";
    return html + "</ul>";
  };
  if (items.size() <= kMostOpen) return list(items);
  const auto rest = std::span(items).subspan(kMostOpen);
  return list(std::span(items).first(kMostOpen)) +
         Fold("And " + std::to_string(rest.size()) + " more", list(rest));
}

std::string MessageSection(const char* id, const char* heading, const std::vector<std::string>& items) {
  return items.empty() ? "" : Section(id, heading, MessageList(items));
}

std::string Avoid(const SiteParts& parts, const report::CausePage* cause) {
  if (cause == nullptr || cause->avoid.empty()) return "";
  return Section("what-not-to-do", "What not to do",
                 "<p class=\"avoid\">" + parts.prose().Line(cause->avoid) + "</p>");
}

std::string OnBoth(const SiteParts& parts, const std::string& text, const std::string& windows) {
  std::string html = "<p>" + parts.prose().Line(text) + "</p>";
  if (!windows.empty()) html += "<h3>On Windows</h3><p>" + parts.prose().Line(windows) + "</p>";
  return html;
}

std::string CodeList(const SiteParts& parts, std::string_view cause, std::string_view without) {
  std::string items;
  for (const report::RulePage& page : parts.catalogue().codes) {
    if (page.cause == cause && page.code != without)
      items += "<li>" + parts.CodeLink(page.code) + " " + parts.prose().Line(page.title) + "</li>";
  }
  return items.empty() ? "" : "<ul class=\"list\">" + items + "</ul>";
}

}  // namespace

std::string CodePage(const SiteParts& parts, const report::RulePage& page) {
  const std::string severity = EscapeHtml(page.severity);
  std::string html = "<p class=\"tags\"><span class=\"code\">" + EscapeHtml(page.code) +
                     "</span> <span class=\"severity " + severity + "\">" + severity +
                     "</span> <span>cause " + parts.CauseLink(page.cause) + "</span> <span>since " +
                     EscapeHtml(page.since) + "</span></p><h1>" + parts.prose().Line(page.title) + "</h1>";
  const std::string avoid = Avoid(parts, parts.FindCause(page.cause));
  for (const ProsePart& part : parts.prose().Parts(page.page)) {
    html += Section(AnchorOf(part.heading), EscapeHtml(part.heading), part.html);
    if (part.heading == "Fix") html += avoid;
  }
  std::vector<std::string> messages;
  for (const Led& led : parts.MessagesOf(page.code)) messages.push_back(LinkToAnswer(led));
  html += MessageSection("messages", "Messages that lead here", messages);
  if (const std::string others = CodeList(parts, page.cause, page.code); !others.empty())
    html += Section("other-codes", "Other codes with this cause", others);
  return html;
}

std::string CauseHtml(const SiteParts& parts, const report::CausePage& page) {
  std::string html = "<p class=\"tags\"><span>cause</span> <span class=\"slug\">" + EscapeHtml(page.slug) +
                     "</span></p><h1>" + parts.prose().Line(page.title) + "</h1>";
  html += Section("how-to-tell", "How to tell", OnBoth(parts, page.check, page.windows_check));
  html += Section("fix", "Fix", OnBoth(parts, page.fix, page.windows_fix));
  html += Avoid(parts, &page);
  if (const std::string codes = CodeList(parts, page.slug, ""); !codes.empty())
    html += Section("codes", "What <code>culprit check</code> reports", codes);
  std::vector<std::string> first, also;
  for (const Led& led : parts.MessagesOf(page.slug)) {
    if (led.first) {
      first.push_back(Fold(MessageCode(*led.message), Answer(parts, led)));
    } else {
      also.push_back(LinkToAnswer(led));
    }
  }
  html += MessageSection("messages", "Messages that lead here", first);
  html += MessageSection("may-also", "Messages that may also mean this", also);
  return html;
}

}  // namespace culprit::render

// The index: the search, all codes by family, all causes.
#include <string>

#include "base/json.h"
#include "render/page/data.h"
#include "render/page/sections.h"
#include "render/page/text.h"
#include "render/site/parts.h"

namespace culprit::render {
namespace {

using base::Json;
using report::Family;

std::string_view FamilyTitle(Family family) {
  switch (family) {
    case Family::kDriver:
      return "Driver";
    case Family::kVisibility:
      return "Visible GPUs, containers, WSL";
    case Family::kCudnn:
      return "cuDNN";
    case Family::kToolkit:
      return "CUDA toolkit and its libraries";
    case Family::kLoading:
      return "Loading of libraries";
    case Family::kPython:
      return "Python packages";
    case Family::kGpuCode:
      return "GPU code";
    case Family::kBuilding:
      return "Building";
    case Family::kLive:
      return "Needs the running GPU";
    case Family::kSite:
      return "Your site's rules";
  }
  return "";
}

constexpr std::string_view kSearch =
    "<div id=\"search-box\" hidden><label for=\"paste\">Paste an error message, or type a code or words"
    "</label><textarea id=\"paste\" rows=\"4\" spellcheck=\"false\" autocomplete=\"off\" "
    "aria-describedby=\"state\"></textarea><p class=\"hint\">Nothing leaves this page.</p>"
    "<p class=\"hint\" id=\"state\" role=\"status\"></p><ol id=\"found\" aria-label=\"Pages "
    "found\"></ol></div>"
    "<noscript><p>The search needs JavaScript, which is disabled in your browser. The lists below are "
    "complete; "
    "in a terminal, <code>culprit explain LOG</code> explains a message.</p></noscript>";

std::string CodeIndex(const SiteParts& parts) {
  std::string html;
  const auto& codes = parts.catalogue().codes;
  for (size_t i = 0; i < codes.size(); ++i) {
    if (i == 0 || codes[i].family != codes[i - 1].family)
      html += std::string(i == 0 ? "" : "</ul>") + "<h3>" + std::string(FamilyTitle(codes[i].family)) +
              "</h3><ul class=\"list\">";
    html += "<li>" + parts.CodeLink(codes[i].code) + " " + parts.prose().Line(codes[i].title) + "</li>";
  }
  return html + (codes.empty() ? "" : "</ul>");
}

std::string CauseIndex(const SiteParts& parts) {
  std::string html = "<ul class=\"list\">";
  for (const report::CausePage& cause : parts.catalogue().causes)
    html += "<li>" + parts.CauseLink(cause.slug) + " " + parts.prose().Line(cause.title) + "</li>";
  return html + "</ul>";
}

// The part of a page that quotes what programs print.
std::string_view Symptoms(std::string_view page) {
  constexpr std::string_view kHeading = "## Why it breaks";
  const size_t begin = page.find(kHeading);
  if (begin == std::string_view::npos) return "";
  page.remove_prefix(begin + kHeading.size());
  return page.substr(0, page.find("\n## "));
}

}  // namespace

std::string IndexHtml(const SiteParts& parts) {
  return "<h1>What can go wrong with a CUDA stack</h1>" + Section("search", "Search", std::string(kSearch)) +
         Section("codes", "Codes of <code>culprit check</code>", CodeIndex(parts)) +
         Section("causes", "Causes", CauseIndex(parts));
}

// As site.js reads it. pages: [file, name, title, more words]; messages: [id, text, [[page, confidence]...],
// pattern].
std::string SearchData(const SiteParts& parts) {
  Json pages = Json::array(), messages = Json::array();
  std::map<std::string_view, size_t> places;
  for (const report::CausePage& cause : parts.catalogue().causes) {
    places.emplace(cause.slug, pages.size());
    pages.push_back(Json::array({CauseFile(cause.slug), cause.slug, cause.title, ""}));
  }
  for (const report::RulePage& code : parts.catalogue().codes) {
    places.emplace(code.code, pages.size());
    pages.push_back(Json::array({CodeFile(code.code), code.code, code.title, Symptoms(code.page)}));
  }
  constexpr double kBehindItsCause = 0.95;
  for (const report::KnownMessage& message : parts.catalogue().messages) {
    Json leads = Json::array();
    const auto add = [&](const std::string& name, double confidence) {
      if (const auto place = places.find(name); place != places.end())
        leads.push_back(Json::array({place->second, static_cast<int>(confidence * 100) / 100.0}));
    };
    for (const report::LikelyCause& cause : message.causes) {
      add(cause.cause, cause.confidence);
      add(cause.code, cause.confidence * kBehindItsCause);
    }
    messages.push_back(Json::array({message.id, message.text, std::move(leads), message.pattern}));
  }
  return ForScript(Json{{"pages", std::move(pages)}, {"messages", std::move(messages)}}.dump(
      -1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace culprit::render

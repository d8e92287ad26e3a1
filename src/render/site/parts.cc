#include "render/site/parts.h"

#include <algorithm>
#include <ranges>

#include "render/page/text.h"

namespace culprit::render {
namespace {

constexpr double kSpeaksFor = 0.3;  // below that a message only does not exclude it

std::set<std::string, std::less<>> CodesOf(const report::Catalogue& catalogue) {
  std::set<std::string, std::less<>> codes;
  for (const report::RulePage& page : catalogue.codes) codes.insert(page.code);
  return codes;
}

}  // namespace

std::string CodeFile(std::string_view code) { return std::string(code) + ".html"; }
std::string CauseFile(std::string_view slug) { return "cause-" + std::string(slug) + ".html"; }

SiteParts::SiteParts(const report::Catalogue& catalogue) : catalogue_(catalogue), prose_(CodesOf(catalogue)) {
  for (const report::KnownMessage& message : catalogue.messages) {
    for (const report::LikelyCause& cause : message.causes) {
      const bool first = &cause == &message.causes.front();
      if (!first && cause.confidence < kSpeaksFor) continue;
      led_[cause.cause].push_back({&message, &cause, first});
      if (!cause.code.empty()) led_[cause.code].push_back({&message, &cause, first});
    }
  }
  for (auto& messages : led_ | std::views::values) {
    std::ranges::sort(messages, [](const Led& a, const Led& b) {
      if (a.first != b.first) return a.first;
      if (a.as->confidence != b.as->confidence) return a.as->confidence > b.as->confidence;
      return a.message < b.message;  // as in the tables
    });
  }
}

const std::vector<SiteParts::Led>& SiteParts::MessagesOf(std::string_view cause_or_code) const {
  static const std::vector<Led> kNone;
  const auto found = led_.find(cause_or_code);
  return found == led_.end() ? kNone : found->second;
}

const report::CausePage* SiteParts::FindCause(std::string_view slug) const {
  const auto found = std::ranges::find(catalogue_.causes, slug, &report::CausePage::slug);
  return found == catalogue_.causes.end() ? nullptr : &*found;
}

bool SiteParts::HasCode(std::string_view code) const {
  return std::ranges::find(catalogue_.codes, code, &report::RulePage::code) != catalogue_.codes.end();
}

std::string SiteParts::CauseLink(std::string_view slug) const {
  const std::string name = EscapeHtml(slug);
  if (FindCause(slug) == nullptr) return "<span class=\"slug\">" + name + "</span>";
  return "<a class=\"slug\" href=\"" + EscapeHtml(CauseFile(slug)) + "\">" + name + "</a>";
}

std::string SiteParts::CodeLink(std::string_view code) const {
  const std::string name = EscapeHtml(code);
  if (!HasCode(code)) return "<span class=\"code\">" + name + "</span>";
  return "<a class=\"code\" href=\"" + EscapeHtml(CodeFile(code)) + "\">" + name + "</a>";
}

}  // namespace culprit::render

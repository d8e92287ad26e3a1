#include "render/site/site.h"

#include <array>

#include "base/product_version.h"
#include "base/text.h"
#include "render/edition.h"
#include "render/page/frame.h"
#include "render/page/text.h"
#include "render/page_parts.h"
#include "render/site/parts.h"

namespace culprit::render {
namespace {

// Every page has the style inside: one that is saved or mailed alone still reads well, and the policy names
// the style and the script by hash, which holds for file:// too.
class Frames {
 public:
  explicit Frames(std::string made) : made_(std::move(made)) {}

  std::string Page(std::string_view title, const std::string& main, const std::string& data = "") const {
    const std::string script = data.empty() ? "" : SiteScript();
    const std::array<FramePart, 6> parts = {{
        {"title", EscapeHtml(base::Printable(title))},
        {"policy", "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; style-src " +
                       HashOf(style_) + "; script-src " + (script.empty() ? "'none'" : HashOf(script))},
        {"style", style_},
        {"main", main},
        {"made", EscapeHtml(made_)},
        {"script", script.empty() ? ""
                                  : "<script type=\"application/json\" id=\"data\">" + data +
                                        "</script>\n<script>" + script + "</script>"},
    }};
    return Filled(SiteFrame(), parts);
  }

 private:
  std::string made_;
  std::string style_ = BaseStyle() + SiteStyle();
};

std::string PageUrl(std::string_view base, const std::string& file) {
  return base.empty() ? "" : std::string(base) + (base.ends_with('/') ? "" : "/") + file;
}

}  // namespace

std::vector<SiteFile> ToSite(const report::Catalogue& catalogue) {
  const SiteParts parts(catalogue);
  const Frames frames("culprit " + std::string(base::ProductVersion()));
  std::vector<SiteFile> files = {
      {"index.html", frames.Page("culprit: catalogue", IndexHtml(parts), SearchData(parts))}};
  for (const report::RulePage& page : catalogue.codes)
    files.push_back({CodeFile(page.code), frames.Page(page.code + ": " + page.title, CodePage(parts, page))});
  for (const report::CausePage& page : catalogue.causes)
    files.push_back(
        {CauseFile(page.slug), frames.Page(page.slug + ": " + page.title, CauseHtml(parts, page))});
  return files;
}

std::string CodeUrl(std::string_view base, std::string_view code) {
  const bool possible = code.starts_with("CUL") && code.size() > 3 &&
                        code.find_first_not_of("0123456789", 3) == std::string_view::npos;
  return possible ? PageUrl(base, CodeFile(code)) : "";
}

std::string CauseUrl(std::string_view base, std::string_view slug) {
  const bool possible = !slug.empty() && slug.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") ==
                                             std::string_view::npos;
  return possible ? PageUrl(base, CauseFile(slug)) : "";
}

}  // namespace culprit::render

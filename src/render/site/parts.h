// What the pages of the catalogue share: the texts, the links between them, and who leads where.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "render/site/prose.h"
#include "render/site/site.h"

namespace culprit::render {

std::string CodeFile(std::string_view code);
std::string CauseFile(std::string_view slug);

class SiteParts {
 public:
  explicit SiteParts(const report::Catalogue& catalogue);

  struct Led {
    const report::KnownMessage* message = nullptr;
    const report::LikelyCause* as = nullptr;
    bool first = false;  // its most likely cause
  };
  // The messages that speak for a cause or a code, those that mean it most clearly first.
  const std::vector<Led>& MessagesOf(std::string_view cause_or_code) const;

  const report::Catalogue& catalogue() const { return catalogue_; }
  const Prose& prose() const { return prose_; }
  const report::CausePage* FindCause(std::string_view slug) const;
  bool HasCode(std::string_view code) const;
  std::string CauseLink(std::string_view slug) const;
  std::string CodeLink(std::string_view code) const;

 private:
  const report::Catalogue& catalogue_;
  Prose prose_;
  std::map<std::string, std::vector<Led>, std::less<>> led_;
};

std::string CodePage(const SiteParts& parts, const report::RulePage& page);
std::string CauseHtml(const SiteParts& parts, const report::CausePage& page);
std::string IndexHtml(const SiteParts& parts);
// What the search of the index looks through.
std::string SearchData(const SiteParts& parts);

}  // namespace culprit::render

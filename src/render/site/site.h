// The catalogue as static pages: one for each code, one for each cause, and an index with a search that takes
// a pasted error message. The pages need no network and no server; only the index has a script, its own.
// File names and anchors are stable: CUL3004.html, cause-cudnn-missing.html.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/catalogue.h"

namespace culprit::render {

struct SiteFile {
  std::string name;  // without a directory
  std::string bytes;
};

std::vector<SiteFile> ToSite(const report::Catalogue& catalogue);

// The page of a code or a cause on a site at `base`, which may end with a slash; "" if there is no base, or
// if it cannot be the name of one.
std::string CodeUrl(std::string_view base, std::string_view code);
std::string CauseUrl(std::string_view base, std::string_view slug);

}  // namespace culprit::render

// `check`, `rules` and a catalog page as text, JSON and Markdown. Pure: report -> string.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "render/exposition.h"
#include "render/style.h"
#include "report/check.h"

namespace culprit::render {

struct CheckDetail {
  bool verbose = false;  // notes with their evidence, and every line of "not checked"
};

std::string ToText(const report::CheckReport& report, const Style& style, const CheckDetail& detail = {});
// `snapshot`: the facts, for readers who want more than the table.
std::string ToJson(const report::CheckReport& report, const base::Json& snapshot);
// For an issue tracker: findings open, the rest folded.
std::string ToMarkdown(const report::CheckReport& report);

// For the textfile collector; `now`: the time of the check.
std::string ToPrometheus(const report::CheckReport& report, Moment now);

// For CI. `rules`: the catalog; `redacted`: the report went through render::Redacted.
// `rules_url`: the catalogue as a site (render/site); "" = no links.
std::string ToSarif(const report::CheckReport& report, const std::vector<report::RulePage>& rules,
                    bool redacted, std::string_view rules_url = "");
// `strict`: a warning is a failure.
std::string ToJunit(const report::CheckReport& report, const std::vector<report::RulePage>& rules,
                    bool strict);

std::string ToText(const std::vector<report::RulePage>& rules, const Style& style);
std::string ToJson(const std::vector<report::RulePage>& rules);
std::string ToText(const report::RulePage& page, const Style& style);
std::string ToJson(const report::RulePage& page);
std::string ToMarkdown(const report::RulePage& page);

}  // namespace culprit::render

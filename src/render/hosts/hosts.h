// `check` for several hosts: a table, one row a host, then every finding once with the hosts that it
// concerns. Pure: report -> string.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "render/page/page.h"
#include "render/style.h"
#include "report/hosts.h"

namespace culprit::render {

// `verbose`: notes with their evidence.
std::string ToText(const report::HostsReport& report, const Style& style, bool verbose);
std::string ToJson(const report::HostsReport& report);
// For the summary of a job.
std::string ToMarkdown(const report::HostsReport& report);
std::string ToHtml(const report::HostsReport& report, const PageFacts& facts);

// For CI. `rules`: the catalog; `redacted`: the reports of the hosts went through render::Redacted;
// `rules_url`: the catalogue as a site; `strict`: a warning is a failure.
std::string ToSarif(const report::HostsReport& report, const std::vector<report::RulePage>& rules,
                    bool redacted, std::string_view rules_url);
std::string ToJunit(const report::HostsReport& report, const std::vector<report::RulePage>& rules,
                    bool strict);

}  // namespace culprit::render

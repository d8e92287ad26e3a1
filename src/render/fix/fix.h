// `fix` as text, JSON and Markdown. Pure: report -> string.
#pragma once

#include <string>

#include "render/style.h"
#include "report/fix.h"

namespace culprit::render {

std::string ToText(const report::FixReport& report, const Style& style);
std::string ToJson(const report::FixReport& report);
std::string ToMarkdown(const report::FixReport& report);

// One fix, as it is shown before asking the user.
std::string FixText(const report::ProposedFix& fix, const Style& style);
// "2 findings have a fix, 1 verified".
std::string FixHeadline(const report::FixReport& report);
// "verified: this change removes the finding and adds none; also fixes CUL5003".
std::string ProofWords(const report::Proof& proof);
// "applied by --apply", "manual: it needs a reboot".
std::string WhoseWords(const report::Action& action);
// "a, b", printable.
std::string Listed(const std::vector<std::string>& words);

}  // namespace culprit::render

// `fix` as text, JSON and Markdown. Pure: report -> string.
#pragma once

#include <string>

#include "render/style.h"
#include "report/fix.h"

namespace culprit::render {

std::string ToText(const report::FixReport& report, const Style& style);
std::string ToJson(const report::FixReport& report);
std::string ToMarkdown(const report::FixReport& report);

// One fix, as shown before culprit asks whether to apply it.
std::string FixText(const report::ProposedFix& fix, const Style& style);
// "2 findings have a fix, 1 verified".
std::string FixHeadline(const report::FixReport& report);
// "verified: this change removes the finding and adds none".
std::string ProofWords(const report::Proof& proof);
// "applied by --apply", "manual: it needs a reboot".
std::string WhoseWords(const report::Action& action);

}  // namespace culprit::render

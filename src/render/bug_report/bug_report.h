// `bug-report` as Markdown, for an issue tracker.
#pragma once

#include <string>

#include "report/bug_report.h"

namespace culprit::render {

std::string ToMarkdown(const report::BugReport& report);

}  // namespace culprit::render

#include "report/finding.h"

namespace culprit::report {

std::string_view Name(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      return "note";
  }
  return "error";
}

bool SameCure(const Finding& a, const Finding& b) {
  if (a.code != b.code || a.fix.commands != b.fix.commands || a.fix.changes != b.fix.changes) return false;
  return !a.fix.commands.empty() || !a.fix.changes.empty() || a.subject == b.subject;
}

bool SameMatter(const Finding& a, const Finding& b) { return a.subject == b.subject && SameCure(a, b); }

}  // namespace culprit::report

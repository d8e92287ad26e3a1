// The parts of `culprit fix`: proposing fixes and applying them.
#pragma once

#include <string>
#include <vector>

#include "change/apply/apply.h"
#include "cli/options.h"
#include "cli/subject.h"
#include "report/fix.h"

namespace culprit::cli {

struct FixOptions {
  Options common;
  std::vector<std::string> words;  // codes and targets, sorted into:
  std::vector<std::string> codes, targets;
  std::string host;
  std::string python;
  int seconds = 10;
  bool apply = false, yes = false;
  bool undo = false, force = false;
  std::string typed;  // the command line
};

// A machine that was checked.
struct Look {
  engine::Diagnosis diagnosis;
  report::CheckReport report;
};
base::Result<Look> LookAndJudge(const FixOptions& options, const Subject& subject);

// Whether the user asks about this finding.
bool IsAsked(const FixOptions& options, const report::Finding& finding);
// The fix of `finding`, with its actions and its proof.
report::ProposedFix Propose(const FixOptions& options, const Subject& subject, const apply::Place& place,
                            const report::CheckReport& before, const report::Finding& finding);

// Applies the fixes that `report` proposes, one after the other, and checks again after each.
base::Result<void> CarryOutFixes(const FixOptions& options, const Subject& subject, const apply::Place& place,
                                 const report::CheckReport& before, report::FixReport& report);

}  // namespace culprit::cli

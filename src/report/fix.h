// The result of `culprit fix`: each finding with its fix, which changes are applied and which are manual, and
// the proof: what the rules say about the changed machine.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"
#include "report/change.h"
#include "report/finding.h"

namespace culprit::report {

// One change of a fix, and who makes it.
struct Action {
  std::string text;                   // InWords(change)
  bool automatic = false;             // --apply makes it, and --undo reverts it
  std::string why_not;                // if not automatic: the reason; "" if a command of the fix makes it
  bool root = false;                  // needs root
  std::vector<std::string> commands;  // the commands it runs, for packages
  std::vector<std::string>
      settings;  // files and variables that these commands follow: pip.conf, PIP_INDEX_URL
};

struct ProposedFix {
  Finding finding;
  std::vector<Action> actions;
  Proof proof;
};

enum class StepState { kDone, kUndone, kFailed, kSkipped };
constexpr std::array<std::string_view, 4> WordsOf(StepState) {
  return {"done", "undone", "failed", "skipped"};
}

struct AppliedStep {
  std::string text;
  StepState state = StepState::kDone;
  std::string detail;
};

struct FixReport {
  std::vector<ProposedFix> fixes;  // worst first
  std::vector<NotChecked> not_checked;
  bool applied = false, undone = false;
  std::vector<AppliedStep> steps;  // of --apply and --undo
  std::string journal;             // its folder
  std::string undo;                // the command that undoes it
  std::string killed_run;          // the journal of an earlier run that was killed
  std::vector<Finding> left;       // --apply: findings of check afterwards
};

}  // namespace culprit::report

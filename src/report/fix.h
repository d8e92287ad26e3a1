// What `culprit fix` says: each finding with its fix, what is carried out and what a person has to do, and
// the proof: what the rules say of the machine as it would be.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"
#include "report/change.h"
#include "report/finding.h"

namespace culprit::report {

struct Proof {
  enum class Outcome {
    kShown,      // the finding is gone and no new one came
    kNotGone,    // the change does not help
    kBringsNew,  // it helps and something else breaks
    kNotShown,   // there is no change that files could show, or the machine cannot be made in the mind
  };
  Outcome outcome = Outcome::kNotShown;
  std::string why;                // kNotShown, kNotGone: the reason
  std::vector<std::string> also;  // codes of other findings that go with it
  std::vector<Finding> brings;    // new ones
};
std::string_view Name(Proof::Outcome outcome);  // "shown", "not-gone", "brings-new", "not-shown"

// One change of a fix, and who makes it.
struct Action {
  std::string text;                   // InWords(change)
  bool automatic = false;             // --apply does it, and --undo takes it back
  std::string why_not;                // not automatic: why; "" for a change that a command of the fix makes
  bool root = false;                  // needs root's rights
  std::vector<std::string> commands;  // what it runs, where it is a package command
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
  std::string undo;                // the command that takes it back
  std::string killed_run;          // the journal of an earlier run that was killed half-way
  std::vector<Finding> left;       // --apply: what check finds afterwards
};

}  // namespace culprit::report

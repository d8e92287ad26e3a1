// `culprit fix --apply`: one fix after the other. Each is verified again on the machine as it is by then.
// Either all of its changes are made or none, because they were verified together.
#include <algorithm>
#include <cstdio>
#include <set>

#include "base/text.h"
#include "change/whatif/carry_out.h"
#include "cli/console.h"
#include "cli/fix.h"
#include "render/fix/fix.h"

namespace culprit::cli {
namespace {

using report::ProposedFix;
using Key = std::pair<std::string, std::string>;

Key KeyOf(const report::Finding& finding) { return {finding.code, finding.subject}; }

std::string Title(const report::Finding& finding) { return finding.code + " " + finding.summary; }

// Why a fix is not started; "" if it is.
std::string NotBegun(const ProposedFix& fix) {
  if (fix.proof.outcome != report::Proof::Outcome::kShown) return render::ProofWords(fix.proof);
  if (fix.actions.empty()) return "culprit knows no automatic change for it";
  for (const report::Action& action : fix.actions) {
    if (!action.automatic)
      return "you must do this step yourself: \"" + action.text + "\"" +
             (action.why_not.empty() ? "" : " (" + action.why_not + ")");
  }
  return "";
}

bool IsVariable(const report::Change& change) {
  return change.As<report::SetVariable>() != nullptr || change.As<report::UnsetVariable>() != nullptr ||
         change.As<report::DropFromList>() != nullptr || change.As<report::AddToList>() != nullptr;
}

enum class Reply { kYes, kNo, kAll, kQuit };

Reply Ask(const ProposedFix& fix) {
  Say("\n{}", render::FixText(fix, {}));
  while (true) {
    Say("apply these changes? [y]es, [n]o, [a]ll remaining, [q]uit: ");
    char line[80];
    if (std::fgets(line, sizeof line, stdin) == nullptr) return Reply::kQuit;
    switch (line[0]) {
      case 'y':
        return Reply::kYes;
      case 'n':
        return Reply::kNo;
      case 'a':
        return Reply::kAll;
      case 'q':
        return Reply::kQuit;
      default:
        break;
    }
  }
}

// With --yes nobody sees the plan before culprit applies it.
void NameSettings(const ProposedFix& fix) {
  for (const report::Action& action : fix.actions) {
    if (!action.settings.empty())
      Say("culprit: {}: the installer uses your settings in {}\n", fix.finding.code,
          render::Listed(action.settings));
  }
}

// An error that names the changes that need root, if there are any.
base::Result<void> RightsSuffice(const FixOptions& options, const std::vector<ProposedFix>& fixes) {
  std::string needs;
  for (const ProposedFix& fix : fixes) {
    if (!NotBegun(fix).empty()) continue;
    for (const report::Action& action : fix.actions) {
      if (action.root) needs += "\n  " + fix.finding.code + ": " + action.text;
    }
  }
  if (needs.empty()) return {};
  Say("these need root:{}\n", needs);
  return base::Fail(base::ErrorCode::kUnsupported, "nothing was changed; run with sudo: sudo culprit fix" +
                                                       options.typed +
                                                       " (or name only codes that do not need root)");
}

void KeepLeft(const FixOptions& options, const report::CheckReport& now, report::FixReport& report) {
  for (const report::Finding& finding : now.findings) {
    if (finding.severity != report::Severity::kNote || IsAsked(options, finding))
      report.left.push_back(finding);
  }
}

class Carrying {
 public:
  Carrying(const FixOptions& options, Subject subject, const apply::Place& place, report::FixReport& report)
      : options_(options), subject_(std::move(subject)), place_(place), report_(report), yes_(options.yes) {}

  base::Result<void> All(report::CheckReport now) {
    auto begun = apply::Applying::Begin(place_);
    if (!begun) return std::unexpected(begun.error());
    apply::Applying& applying = **begun;
    report_.applied = true;
    for (const ProposedFix& first : report_.fixes) {
      const auto why = stop_ ? base::Result<std::string>("not reached") : Make(applying, first, now);
      if (!why) return std::unexpected(why.error());
      if (!why->empty()) report_.steps.push_back({Title(first.finding), report::StepState::kSkipped, *why});
    }
    if (auto ended = applying.End(); !ended) return ended;
    if (changed_) {
      report_.journal = applying.journal();
      report_.undo = "culprit fix --undo" + (subject_.root.empty() ? "" : " --root " + subject_.root);
      report_.not_checked = now.not_checked;
    }
    KeepLeft(options_, now, report_);
    return {};
  }

 private:
  // Makes the changes of one fix, and checks the machine again. Returns why it was skipped; "" if it was not.
  base::Result<std::string> Make(apply::Applying& applying, const ProposedFix& first,
                                 report::CheckReport& now) {
    const auto still = std::ranges::find_if(
        now.findings, [&](const report::Finding& one) { return KeyOf(one) == KeyOf(first.finding); });
    if (still == now.findings.end()) return "already fixed by an earlier change";
    // An earlier change may have changed what this one does.
    const ProposedFix fix = changed_ ? Propose(options_, subject_, place_, now, *still) : first;
    if (std::string why = NotBegun(fix); !why.empty()) return why;
    if (yes_) NameSettings(fix);
    const Reply reply = yes_ ? Reply::kYes : Ask(fix);
    yes_ = yes_ || reply == Reply::kAll;
    stop_ = reply == Reply::kQuit;
    if (stop_ || reply == Reply::kNo) return "you answered no";
    auto steps = applying.Make(fix.finding.fix.changes, stop_);
    std::ranges::move(steps, std::back_inserter(report_.steps));
    if (stop_) return "";  // a step failed; its own entry says why
    changed_ = true;
    Remember(fix.finding.fix.changes);
    auto look = LookAndJudge(options_, subject_);
    if (!look) return std::unexpected(look.error());
    now = std::move(look->report);
    return "";
  }

  // The next check must see the variables that the next shell will have.
  void Remember(const std::vector<report::Change>& changes) {
    if (!place_.environment_file.empty()) return;  // read again by each look
    std::vector<report::Change> variables;
    std::ranges::copy_if(changes, std::back_inserter(variables), IsVariable);
    if (variables.empty()) return;
    if (auto machine = whatif::CarryOut(subject_.machine, variables)) subject_.machine = std::move(*machine);
  }

  const FixOptions& options_;
  Subject subject_;
  const apply::Place& place_;
  report::FixReport& report_;
  bool yes_;
  bool stop_ = false, changed_ = false;
};

}  // namespace

base::Result<void> CarryOutFixes(const FixOptions& options, const Subject& subject, const apply::Place& place,
                                 const report::CheckReport& before, report::FixReport& report) {
  if (!report.killed_run.empty())
    return base::Fail(base::ErrorCode::kUnsupported,
                      "an earlier `culprit fix` was killed before it finished (" + report.killed_run +
                          "); run `culprit fix --undo` first");
  if (auto enough = RightsSuffice(options, report.fixes); !enough) return enough;
  const bool any = std::ranges::any_of(report.fixes, [](const auto& fix) { return NotBegun(fix).empty(); });
  if (any) return Carrying(options, subject, place, report).All(before);
  report.applied = true;
  for (const ProposedFix& fix : report.fixes)
    report.steps.push_back({Title(fix.finding), report::StepState::kSkipped, NotBegun(fix)});
  KeepLeft(options, before, report);
  return {};
}

}  // namespace culprit::cli

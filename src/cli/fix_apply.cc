// `culprit fix --apply`: one fix after the other, each only if it is shown to work on the machine as it is by
// then, and all of its changes or none: the proof speaks of all of them together.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "base/text.h"
#include "change/whatif/carry_out.h"
#include "cli/fix.h"
#include "render/fix/fix.h"

namespace culprit::cli {
namespace {

using report::ProposedFix;
using Key = std::pair<std::string, std::string>;

Key KeyOf(const report::Finding& finding) { return {finding.code, finding.subject}; }

std::string Title(const report::Finding& finding) { return finding.code + " " + finding.summary; }

// Why a fix is not begun; "" when it is.
std::string NotBegun(const ProposedFix& fix) {
  if (fix.proof.outcome != report::Proof::Outcome::kShown) return render::ProofWords(fix.proof);
  if (fix.actions.empty()) return "no automatic change is known for it";
  for (const report::Action& action : fix.actions) {
    if (!action.automatic)
      return "a step needs you: \"" + action.text + "\"" +
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
  fmt::print(stderr, "\n{}", render::FixText(fix, {}));
  while (true) {
    fmt::print(stderr, "apply these changes? [y]es, [n]o, [a]ll remaining, [q]uit: ");
    std::fflush(stderr);
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

// What only root may do, by name.
base::Result<void> RightsSuffice(const FixOptions& options, const std::vector<ProposedFix>& fixes) {
  std::string needs;
  for (const ProposedFix& fix : fixes) {
    if (!NotBegun(fix).empty()) continue;
    for (const report::Action& action : fix.actions) {
      if (action.root) needs += "\n  " + fix.finding.code + ": " + action.text;
    }
  }
  if (needs.empty()) return {};
  fmt::print(stderr, "these need root:{}\n", needs);
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
    bool stop = false, changed = false;
    for (const ProposedFix& first : report_.fixes) {
      const report::Finding& finding = first.finding;
      if (stop) {
        Skip(finding, "not reached");
        continue;
      }
      const auto still = std::ranges::find_if(
          now.findings, [&](const report::Finding& one) { return KeyOf(one) == KeyOf(finding); });
      if (still == now.findings.end()) {
        Skip(finding, "already fixed by an earlier change");
        continue;
      }
      // What was done before may have changed what this one does.
      const ProposedFix fix = changed ? Propose(options_, subject_, place_, now, *still) : first;
      if (const std::string why = NotBegun(fix); !why.empty()) {
        Skip(finding, why);
        continue;
      }
      const Reply reply = yes_ ? Reply::kYes : Ask(fix);
      yes_ = yes_ || reply == Reply::kAll;
      stop = reply == Reply::kQuit;
      if (stop || reply == Reply::kNo) {
        Skip(finding, "you said no");
        continue;
      }
      bool failed = false;
      auto steps = applying.Make(fix.finding.fix.changes, failed);
      std::ranges::move(steps, std::back_inserter(report_.steps));
      if (failed) {
        stop = true;
        continue;
      }
      changed = true;
      Remember(fix.finding.fix.changes);
      auto look = LookAndJudge(options_, subject_);
      if (!look) return std::unexpected(look.error());
      now = std::move(look->report);
    }
    if (auto ended = applying.End(); !ended) return ended;
    if (changed) {
      report_.journal = applying.journal();
      report_.undo = "culprit fix --undo" + (subject_.root.empty() ? "" : " --root " + subject_.root);
      report_.not_checked = now.not_checked;
    }
    KeepLeft(options_, now, report_);
    return {};
  }

 private:
  void Skip(const report::Finding& finding, const std::string& why) {
    report_.steps.push_back({Title(finding), report::StepState::kSkipped, why});
  }

  // The variables of this process stay as they are; those of the next shell are what counts.
  void Remember(const std::vector<report::Change>& changes) {
    if (!place_.environment_file.empty()) return;  // read anew with each look
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
};

}  // namespace

base::Result<void> CarryOutFixes(const FixOptions& options, const Subject& subject, const apply::Place& place,
                                 const report::CheckReport& before, report::FixReport& report) {
  if (!report.killed_run.empty())
    return base::Fail(base::ErrorCode::kUnsupported, "an earlier run was killed before it finished (" +
                                                         report.killed_run +
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

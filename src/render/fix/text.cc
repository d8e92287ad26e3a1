// Fixes for the terminal: what to do, who does it, and whether it was verified; after --apply and --undo,
// what happened.
#include <fmt/format.h>

#include <algorithm>

#include "render/finding.h"
#include "render/fix/fix.h"

namespace culprit::render {
namespace {

using report::Proof;

std::string Paint(const Style& style, const report::Finding& finding) {
  return SeverityText(finding.severity, fmt::format("{} {}", Name(finding.severity), finding.code), style);
}

std::string LabelledLine(std::string_view label, const std::string& text) {
  return fmt::format("  {:<8} {}\n", label, text);
}

std::string PaintedProof(const Proof& proof, const Style& style) {
  const std::string words = ProofWords(proof);
  if (proof.outcome == Proof::Outcome::kShown) return style.Good(words);
  return proof.outcome == Proof::Outcome::kNotShown ? style.Warn(words) : style.Bad(words);
}

std::string StepsText(const report::FixReport& report, const Style& style) {
  std::string text;
  for (const report::AppliedStep& step : report.steps) {
    const std::string state = fmt::format("{:<8}", base::Word(step.state));
    const std::string painted = step.state == report::StepState::kFailed    ? style.Bad(state)
                                : step.state == report::StepState::kSkipped ? style.Warn(state)
                                                                            : style.Good(state);
    text += fmt::format("  {} {}{}\n", painted, base::Printable(step.text),
                        step.detail.empty() ? "" : ": " + base::Printable(step.detail));
  }
  return text;
}

std::string AfterText(const report::FixReport& report, const Style& style) {
  std::string text = "\n" + StepsText(report, style);
  if (report.applied) {
    text += "\n" + style.Bold("left") + "\n";
    for (const report::Finding& finding : report.left)
      text += fmt::format("  {}  {}\n", Paint(style, finding), base::Printable(finding.summary));
    if (report.left.empty()) text += "  no errors or warnings\n";
  }
  if (!report.journal.empty()) text += "\n" + style.Dim("journal: " + report.journal) + "\n";
  if (!report.undo.empty()) text += style.Dim("to undo: " + report.undo) + "\n";
  return text;
}

}  // namespace

std::string FixHeadline(const report::FixReport& report) {
  const auto done = std::ranges::count(report.steps, report::StepState::kDone, &report::AppliedStep::state);
  if (report.undone) return "undone: everything is restored";
  if (report.applied) {
    if (std::ranges::count(report.steps, report::StepState::kFailed, &report::AppliedStep::state) > 0)
      return "a change failed; the other changes of that fix were undone";
    return done == 0 ? "nothing was changed" : fmt::format("{} change{} made", done, done == 1 ? "" : "s");
  }
  if (report.fixes.empty()) return "nothing to fix";
  const auto shown = std::ranges::count_if(report.fixes, [](const report::ProposedFix& fix) {
    return fix.proof.outcome == Proof::Outcome::kShown;
  });
  const size_t count = report.fixes.size();
  const std::string found = fmt::format("{} finding{} a fix", count, count == 1 ? " has" : "s have");
  if (shown == static_cast<std::ptrdiff_t>(count))
    return found + (count == 1 ? ", verified" : ", all verified");
  return fmt::format("{}, {} verified", found, shown == 0 ? "none" : std::to_string(shown));
}

std::string ProofWords(const Proof& proof) {
  std::string words;
  switch (proof.outcome) {
    case Proof::Outcome::kShown:
      words = "verified: this change removes the finding and adds none";
      break;
    case Proof::Outcome::kNotGone:
      words = "does not help: " + (proof.why.empty() ? "the finding remains" : proof.why);
      break;
    case Proof::Outcome::kBringsNew:
      words = "removes the finding but causes another:";
      for (const report::Proof::Problem& finding : proof.brings)
        words += (&finding == &proof.brings.front() ? " " : "; ") + finding.code + " " + finding.summary;
      break;
    case Proof::Outcome::kNotShown:
      words = "not verified" + (proof.why.empty() ? "" : ": " + proof.why);
      break;
  }
  for (size_t i = 0; i < proof.also.size(); ++i) words += (i == 0 ? "; also fixes " : ", ") + proof.also[i];
  return words;
}

std::string WhoseWords(const report::Action& action) {
  if (!action.automatic)
    return action.why_not.empty() ? "manual: use the commands above" : "manual: " + action.why_not;
  return action.root ? "applied by --apply, as root" : "applied by --apply";
}

std::string Listed(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ", ") + base::Printable(word);
  return list;
}

std::string FixText(const report::ProposedFix& fix, const Style& style) {
  const report::Finding& finding = fix.finding;
  std::string text = fmt::format("{}  {}\n", Paint(style, finding), style.Bold(finding.summary));
  if (!finding.fix.text.empty()) text += LabelledLine("fix", base::Printable(finding.fix.text));
  for (const std::string& command : report::Texts(finding.fix.commands))
    text += LabelledLine("", "  " + style.Good(command));
  if (finding.fix.risk != report::Risk::kUnknown)
    text += LabelledLine("risk", std::string(base::Word(finding.fix.risk)));
  const char* label = "changes";
  for (const report::Action& action : fix.actions) {
    text +=
        LabelledLine(label, base::Printable(action.text) + "  " + style.Dim("[" + WhoseWords(action) + "]"));
    for (const std::string& command : action.commands)
      text += LabelledLine("", "  " + style.Dim("runs " + command));
    if (!action.settings.empty())
      text += LabelledLine("", "  " + style.Dim("with your settings in " + Listed(action.settings)));
    label = "";
  }
  return text + LabelledLine("proof", PaintedProof(fix.proof, style));
}

std::string ToText(const report::FixReport& report, const Style& style) {
  const std::string headline = FixHeadline(report);
  const bool after = report.applied || report.undone || !report.steps.empty();
  std::string text;
  if (!report.killed_run.empty() && !report.undone)
    text += style.Bad(
                "an earlier `culprit fix` was killed before it finished; `culprit fix --undo` restores what "
                "it changed") +
            "\n" + style.Dim("journal: " + report.killed_run) + "\n\n";
  text += (report.fixes.empty() || after ? style.Good(headline) : style.Warn(headline)) + "\n";
  if (after) return text + AfterText(report, style);
  for (const report::ProposedFix& fix : report.fixes) text += "\n" + FixText(fix, style);
  if (!report.not_checked.empty()) {
    text += "\n" + style.Bold("not checked") + "\n";
    for (const report::NotChecked& item : report.not_checked)
      text += fmt::format("  {}: {}\n", base::Printable(item.what), base::Printable(item.why));
  }
  const bool any = std::ranges::any_of(report.fixes, [](const report::ProposedFix& fix) {
    return fix.proof.outcome == Proof::Outcome::kShown && !fix.actions.empty() &&
           std::ranges::all_of(fix.actions, &report::Action::automatic);
  });
  if (any)
    text += "\n" +
            style.Dim(
                "`culprit fix --apply` applies the changes marked above, asking first; --undo reverts them") +
            "\n";
  return text;
}

}  // namespace culprit::render

// `culprit fix`: shows a verified fix for each finding of `check`; applies and undoes them.
#include "cli/fix.h"

#include <algorithm>

#include "base/windows/path.h"
#include "change/prove/prove.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/image/image_subject.h"
#include "cli/progress.h"
#include "engine/check.h"
#include "render/fix/fix.h"

namespace culprit::cli {
namespace {

LookOptions LookOptionsOf(const FixOptions& options) {
  return {
      .common = options.common, .host = options.host, .python = options.python, .seconds = options.seconds};
}

// "CUL3004" for "cul3004"; "" for anything that is not a code.
std::string AsCode(std::string word) {
  for (char& c : word) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  const bool digits = word.size() == 7 &&
                      std::all_of(word.begin() + 3, word.end(), [](char c) { return c >= '0' && c <= '9'; });
  return word.starts_with("CUL") && digits ? word : "";
}

apply::Place PlaceOf(const FixOptions& options, const Subject& subject) {
  const auto here = system::RealSystem();
  apply::Place place{.root = subject.root, .variables = here->Environment()};
  if (!place.root.empty()) place.root = PathOnMachine(*here, place.root);
  if (!options.common.env_file.empty())
    place.environment_file = PathOnMachine(*here, options.common.env_file);
  place.windows = subject.machine != nullptr && subject.machine->platform() == base::Platform::kWindows;
  place.state = apply::StateFolder(place.variables, place.root);
  return place;
}

bool WriteReport(const FixOptions& options, const report::FixReport& report,
                 const snapshot::Snapshot& snapshot) {
  return Write(options.common, {.title = "culprit fix",
                                .text = [&](const auto& style) { return render::ToText(report, style); },
                                .json = [&] { return render::ToJson(report); },
                                .markdown = [&] { return render::ToMarkdown(report); },
                                .redacted_for = &snapshot,
                                .windows = snapshot.windows() != nullptr});
}

bool AnyFailed(const std::vector<report::AppliedStep>& steps) {
  return std::ranges::find(steps, report::StepState::kFailed, &report::AppliedStep::state) != steps.end();
}

int UndoLast(const FixOptions& options, const apply::Place& place) {
  const std::string killed = apply::KilledRun(place);
  auto report = apply::Undo(place, options.force);
  if (!report) return Fail(report.error());
  report->killed_run = killed;
  if (!report->undone && report->steps.empty()) {
    Note(options.common,
         "nothing to undo: no journal found in " + place.state +
             (place.state.starts_with("/var/") ? "" : "; to undo changes made as root, run as root"));
  }
  if (!WriteReport(options, *report, {})) return kExitCannot;
  return AnyFailed(report->steps) ? kExitCannot : kExitOk;
}

int ShowOrApply(const FixOptions& options, const Subject& subject, const apply::Place& place) {
  auto look = LookAndJudge(options, subject);
  if (!look) return Fail(look.error());
  report::FixReport report{.not_checked = look->report.not_checked, .killed_run = apply::KilledRun(place)};
  {
    Progress progress(!options.common.quiet);
    for (const report::Finding& finding : look->report.findings) {
      if (!IsAsked(options, finding)) continue;
      progress.Show("verifying the fix for " + finding.code);
      report.fixes.push_back(Propose(options, subject, place, look->report, finding));
    }
  }
  if (options.apply) {
    const auto done = CarryOutFixes(options, subject, place, look->report, report);
    if (!done) return Fail(done.error());
  }
  if (!WriteReport(options, report, look->diagnosis.snapshot())) return kExitCannot;
  if (AnyFailed(report.steps)) return kExitCannot;
  if (report.applied) {
    const auto left = [&](const report::Finding& finding) { return IsAsked(options, finding); };
    return std::ranges::any_of(report.left, left) ? kExitFound : kExitOk;
  }
  if (!report.fixes.empty()) return kExitFound;
  const bool unknown = look->report.verdict == report::Verdict::kUnknown && !look->report.nothing_of_cuda;
  return unknown ? kExitCannot : kExitOk;
}

// Why --apply cannot be used here; "" if it can.
std::string NotToBeChanged(const FixOptions& options, const Subject& subject) {
  if (!options.apply) return "";
  if (!subject.snapshot_file.empty()) return "fixes cannot be applied to a snapshot";
  if (subject.wheel) return "the wheel is not installed";
  if (!subject.root.empty() && IsImage(subject.root)) return "an image cannot be changed, only built again";
  if (!options.yes && !IsTerminal(stdin))
    return "cannot ask: no terminal; pass --yes to answer yes to every question";
  return "";
}

void Declare(CommandLine& app, FixOptions& options) {
  app.Add("WORD", options.words,
          "codes to fix (CUL5001); programs, environments or a root file system to check",
          "[CODE|TARGET]...");
  app.Add("--apply", options.apply,
          "apply the fixes that are verified and can be undone; asks before each one");
  app.Add("--yes", options.yes, "with --apply: do not ask");
  app.Add("--undo", options.undo, "undo the last --apply byte for byte, even if it was killed");
  app.Add("--force", options.force, "with --undo: also restore files that were changed since");
  app.Add("--host", options.host, "assume this driver and GPU: driver=535.104.05,gpu=sm_90", "HOST");
  app.Add("--python", options.python, "check the environment of this interpreter", "PATH");
  AddNoRedact(app, options.common, "markdown output");
  app.Add("--timeout", options.seconds, "timeout per collector, in seconds", "SECONDS", 1, 3600);
  AddCommonOptions(app, options.common);
  app.Footer(
      "Examples:\n"
      "  culprit fix\n"
      "  culprit fix CUL5001 --apply\n"
      "  culprit fix .venv --apply --yes\n"
      "  culprit fix --root ./image --env image.env --host driver=550.54.14,gpu=sm_80\n"
      "  culprit fix --undo\n"
      "With --env FILE, variables are changed in FILE; otherwise in the files that set them when a shell "
      "starts.\n"
      "Exit status: 0 nothing to fix (--apply: nothing left), 1 there are fixes, 2 could not check or could "
      "not make\na change, 64 wrong usage.");
}

// Sorts the words into codes and targets. What is wrong with the command line; "" if nothing is.
std::string Mistake(FixOptions& options) {
  if (options.apply && options.undo) return "--apply or --undo, not both";
  if (options.yes && !options.apply) return "--yes works only with --apply";
  if (options.force && !options.undo) return "--force works only with --undo";
  if (std::string why = MistakeInHost(options.host); !why.empty()) return why;
  for (const std::string& word : options.words) {
    const std::string code = AsCode(word);
    if (!code.empty() && engine::PageOf(code).code.empty())
      return "unknown rule " + code + "; culprit rules lists them";
    (code.empty() ? options.targets : options.codes).push_back(code.empty() ? word : code);
  }
  return "";
}

}  // namespace

base::Result<Look> LookAndJudge(const FixOptions& options, const Subject& subject) {
  Progress progress(!options.common.quiet);
  auto diagnosis = LookAt(subject, LookOptionsOf(options));
  if (!diagnosis) return std::unexpected(diagnosis.error());
  progress.Show("simulating what gets loaded");
  diagnosis->Play();
  auto report = diagnosis->Judge();
  return Look{std::move(*diagnosis), std::move(report)};
}

bool IsAsked(const FixOptions& options, const report::Finding& finding) {
  if (finding.fix.text.empty() && finding.fix.changes.empty()) return false;
  if (!options.codes.empty()) return std::ranges::find(options.codes, finding.code) != options.codes.end();
  return finding.severity != report::Severity::kNote || options.common.verbose;
}

report::ProposedFix Propose(const FixOptions& options, const Subject& subject, const apply::Place& place,
                            const report::CheckReport& before, const report::Finding& finding) {
  report::ProposedFix fix{.finding = finding};
  for (const report::Change& change : finding.fix.changes)
    fix.actions.push_back(apply::Describe(change, place));
  if (auto looked_at = ForEngine(subject, LookOptionsOf(options))) {
    fix.proof = prove::Prove(std::move(*looked_at), before, finding);
  } else {
    fix.proof.why = looked_at.error().message;
  }
  return fix;
}

int RunFix(int argc, const char* const* argv) {
  FixOptions options;
  CommandLine app(
      "Shows a fix for each finding of check: what to do, what changes, and whether it works, verified by "
      "running the same rules on the changed machine in memory. Nothing is changed without --apply.",
      "culprit fix");
  Declare(app, options);
  if (const auto status = app.Parse(argc, argv)) return *status;
  for (int i = 1; i < argc; ++i) options.typed += " " + std::string(argv[i]);
  if (const std::string why = Mistake(options); !why.empty()) return WrongUsage("fix", why);
  if (options.apply || options.undo) {
    if (const std::string why = apply::NotHere(); !why.empty()) {
      Say("culprit fix: {}\n", why);
      return kExitCannot;
    }
  }
  if (options.undo) {
    Subject subject{.root = options.common.root};
    return UndoLast(options, PlaceOf(options, subject));
  }
  const auto subject = ChooseSubject(options.common, options.targets);
  if (!subject) return Fail(subject.error());
  if (const std::string why = NotToBeChanged(options, *subject); !why.empty())
    return WrongUsage("fix", "--apply: " + why);
  EndAtOnce(ShowOrApply(options, *subject, PlaceOf(options, *subject)));
}

}  // namespace culprit::cli

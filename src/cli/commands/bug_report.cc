// culprit bug-report [TARGET...]
#include "engine/bug_report.h"

#include <chrono>

#include "base/parallel/in_time.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/subject.h"
#include "collect/maintainer.h"
#include "engine/diagnosis.h"
#include "render/bug_report/bug_report.h"

namespace culprit::cli {
namespace {

constexpr int kBugReportSeconds = 30;

// Empty for a recorded machine, or if files do not respond.
collect::MaintainerFacts MaintainerFactsOf(const engine::Diagnosis& diagnosis) {
  const auto machine = diagnosis.subject().machine;
  if (!machine || !diagnosis.in_time()) return {};
  return base::InTime(std::chrono::seconds(kBugReportSeconds),
                      [machine, snapshot = diagnosis.shared_snapshot()] {
                        return collect::LookForMaintainer(*machine, *snapshot);
                      })
      .value_or(collect::MaintainerFacts{});
}

int WriteBugReport(const Options& options, const std::vector<std::string>& targets) {
  const auto subject = ChooseSubject(options, targets);
  if (!subject) return Fail(subject.error());
  auto looked_at = ForEngine(*subject, {.common = options, .seconds = kBugReportSeconds});
  if (!looked_at) return Fail(looked_at.error());
  Progress progress(!options.quiet);
  engine::Diagnosis diagnosis(*std::move(looked_at));
  if (auto looked = diagnosis.LookAndPlay(); !looked) return Fail(looked.error());
  progress.Show("simulating what gets loaded");
  const auto verdict = diagnosis.Judge();
  progress.Show("reading versions");
  const auto report = engine::MakeBugReport(diagnosis.snapshot(), verdict, MaintainerFactsOf(diagnosis));
  progress.Clear();
  const auto words = [&] { return render::ToMarkdown(report); };
  Options markdown = options;
  markdown.format = Format::kMarkdown;
  const bool written = Write(markdown, {.title = "culprit bug-report",
                                        .text = [&](const auto&) { return words(); },
                                        .json = words,
                                        .markdown = words,
                                        .redacted_for = &diagnosis.snapshot(),
                                        .windows = diagnosis.snapshot().windows() != nullptr});
  if (!written) return kExitCannot;
  if (!options.output.empty()) Note(options, "read it before you send it: " + options.output);
  return kExitOk;
}

}  // namespace

int RunBugReport(int argc, const char* const* argv) {
  Options options;
  std::vector<std::string> targets;
  CommandLine app(
      "Writes one Markdown file that answers what a maintainer would ask: what culprit finds, the system, "
      "libc, compilers, "
      "driver, GPUs, toolkits, cuDNN, variables and packages. Secrets, your home directory and your user "
      "name are hidden.",
      "culprit bug-report");
  app.Add("TARGET", targets, "programs, Python environments or a root file system to include in the report");
  app.Add("-o,--output", options.output, "write to FILE instead of standard output", "FILE");
  app.Add("--root", options.root, "use DIR as the root directory", "DIR");
  app.Add("--env", options.env_file, "read the environment from FILE, one NAME=VALUE per line", "FILE");
  AddNoRedact(app, options, "the file");
  app.Add("-q,--quiet", options.quiet, "no progress or notes on stderr");
  app.Footer(
      "Examples:\n"
      "  culprit bug-report -o report.md\n"
      "  culprit bug-report .venv -o report.md\n"
      "Exit status: 0 written, 2 could not look, 64 wrong usage.");
  if (const auto status = app.Parse(argc, argv)) return *status;
  EndAtOnce(WriteBugReport(options, targets));
}

}  // namespace culprit::cli

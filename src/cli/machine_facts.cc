#include "cli/machine_facts.h"

#include <chrono>
#include <future>
#include <thread>

#include "base/product_version.h"
#include "base/text.h"
#include "cli/snapshot_file.h"
#include "collect/host.h"
#include "collect/look_at_stack.h"
#include "diagnose/check.h"
#include "loader/scenario.h"
#include "snapshot/recorded_file_view.h"

namespace culprit::cli {
namespace {

report::CheckReport Judge(const snapshot::Snapshot& snapshot, snapshot::FileView& view,
                          const std::vector<std::string>& programs) {
  const auto scenarios = loader::PlayScenarios(snapshot, view, programs);
  return diagnose::Check({snapshot, view, scenarios});
}

}  // namespace

base::Result<Facts> LookAt(const Subject& subject, const LookOptions& options) {
  Facts facts;
  if (!subject.snapshot_file.empty()) {
    auto recorded = ReadSnapshotFile(subject.snapshot_file);
    if (!recorded) return std::unexpected(recorded.error());
    facts.snapshot = std::make_shared<snapshot::Snapshot>(std::move(*recorded));
    facts.view = std::make_shared<snapshot::RecordedFileView>(facts.snapshot->files);
  } else {
    auto environment = ReadEnvironment(options.common);
    if (!environment) return std::unexpected(environment.error());
    const system::System& machine = *subject.machine;
    collect::Surroundings around{
        .system = machine,
        .environment = *environment ? std::move(**environment) : machine.Environment(),
        .working_directory = machine.WorkingDirectory(),
        .python = options.python.empty() ? "" : PathOnMachine(machine, options.python),
        .environments = subject.environments,
        .verify = options.verify,
        .no_python = !subject.programs.empty() && subject.environments.empty() && options.python.empty(),
        .host_unseen = subject.rooted};
    auto look = collect::LookAtStack(around, subject.programs,
                                     std::chrono::seconds(options.seconds * subject.patience));
    facts.snapshot = std::make_shared<snapshot::Snapshot>(std::move(look.snapshot));
    facts.view = std::move(look.view);
  }
  facts.snapshot->tool_version = base::ProductVersion();
  if (!options.host.empty()) {
    const auto host = collect::ParseHost(options.host);
    if (!host) return std::unexpected(host.error());
    collect::Assume(*host, facts.snapshot->stack);
  }
  return facts;
}

report::CheckReport JudgeInTime(const Facts& facts, const std::vector<std::string>& programs, int seconds) {
  std::promise<report::CheckReport> promise;
  auto result = promise.get_future();
  std::thread([facts, programs, promise = std::move(promise)]() mutable {
    try {
      promise.set_value(Judge(*facts.snapshot, *facts.view, programs));
    } catch (...) {
      promise.set_exception(std::current_exception());
    }
  }).detach();
  if (result.wait_for(std::chrono::seconds(seconds)) == std::future_status::ready) return result.get();
  snapshot::FileRecord nothing;
  snapshot::RecordedFileView blind(nothing);
  report::CheckReport report = diagnose::Check({*facts.snapshot, blind, {}});
  report.not_checked.insert(
      report.not_checked.begin(),
      {"what programs and frameworks load", "no answer within " + std::to_string(seconds) +
                                                " s: a file system that does not respond? (--timeout)"});
  if (report.verdict == report::Verdict::kOk) {
    report.verdict = report::Verdict::kUnknown;
    report.headline = "could not tell: files did not answer in time";
  }
  return report;
}

}  // namespace culprit::cli

#include "cli/machine_facts.h"

#include <chrono>
#include <future>
#include <mutex>
#include <thread>

#include "base/product_version.h"
#include "base/text.h"
#include "cli/snapshot_file.h"
#include "collect/linux/container.h"
#include "collect/linux/host.h"
#include "collect/look_at_stack.h"
#include "engine/check.h"
#include "loader/observed/observed.h"
#include "snapshot/recorded_file_view.h"

namespace culprit::cli {
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
    collect::Surroundings around =
        subject.process != nullptr
            ? collect::AroundProcess(machine, *subject.process)
            : collect::Surroundings{
                  .system = machine,
                  .environment = *environment ? std::move(**environment) : machine.Environment(),
                  .working_directory = machine.WorkingDirectory(),
                  .python = options.python.empty() ? "" : PathOnMachine(machine, options.python),
                  .environments = subject.environments,
                  .verify = options.verify,
                  .no_python =
                      !subject.programs.empty() && subject.environments.empty() && options.python.empty(),
                  .host_unseen = subject.rooted && !collect::ShowsItsKernel(machine)};
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

namespace {

Played Start(std::function<std::vector<loader::Scenario>()> play) {
  std::promise<std::vector<loader::Scenario>> promise;
  Played played = promise.get_future().share();
  std::thread([play = std::move(play), promise = std::move(promise)]() mutable {
    try {
      promise.set_value(play());
    } catch (...) {
      promise.set_exception(std::current_exception());
    }
  }).detach();
  return played;
}

}  // namespace

Played StartPlaying(const Facts& facts, const std::vector<std::string>& programs, const Played& before) {
  return Start([facts, programs, before] {
    if (before.valid()) before.wait();
    return loader::PlayScenarios(*facts.snapshot, *facts.view, programs);
  });
}

Played StartObserving(const Facts& facts, const record::Process& process) {
  return Start([facts, process] { return loader::ScenariosAround({process}, *facts.snapshot, *facts.view); });
}

report::CheckReport JudgeInTime(const Facts& facts, const Played& played, int seconds,
                                const AfterCheck& then) {
  std::promise<report::CheckReport> promise;
  auto result = promise.get_future();
  // Not called any more when the time is over: what it refers to may be gone then.
  struct Gate {
    std::mutex mutex;
    bool open = true;
  };
  const auto gate = std::make_shared<Gate>();
  std::thread([facts, played, then, gate, promise = std::move(promise)]() mutable {
    try {
      const rules::Scene scene{*facts.snapshot, *facts.view, played.get()};
      report::CheckReport report = engine::Check(scene);
      const std::lock_guard lock(gate->mutex);
      if (gate->open && then) then(scene, report);
      promise.set_value(std::move(report));
    } catch (...) {
      promise.set_exception(std::current_exception());
    }
  }).detach();
  if (result.wait_for(std::chrono::seconds(seconds)) == std::future_status::ready) return result.get();
  {
    const std::lock_guard lock(gate->mutex);
    gate->open = false;
  }
  snapshot::FileRecord nothing;
  snapshot::RecordedFileView blind(nothing);
  const rules::Scene scene{*facts.snapshot, blind, {}};
  report::CheckReport report = engine::Check(scene);
  report.not_checked.insert(report.not_checked.begin(),
                            {"what programs and frameworks load",
                             "no answer within " + std::to_string(seconds) +
                                 " s; a file system may not be responding (--timeout sets the limit)"});
  if (report.verdict == report::Verdict::kOk) {
    report.verdict = report::Verdict::kUnknown;
    report.headline = "could not check: reading files timed out";
  }
  if (then) then(scene, report);
  return report;
}

}  // namespace culprit::cli

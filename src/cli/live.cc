#include "cli/live.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "base/text.h"
#include "collect/live_file_view.h"
#include "probe/program.h"
#include "probe/steps.h"

namespace culprit::cli {
namespace {

constexpr uint64_t kRoomForSeveral = uint64_t{8} << 30;
constexpr size_t kSideBySide = 4;

// Several children at a time only where the device lets several in and has memory for all of them.
size_t SideBySide(const std::vector<snapshot::ProbedDevice>& devices) {
  const bool roomy = std::ranges::all_of(devices, [](const snapshot::ProbedDevice& device) {
    return device.cuda_index.empty() ||
           (device.compute_mode == "default" && device.memory_free >= kRoomForSeveral);
  });
  return roomy ? kSideBySide : 1;
}

// The versions of the files that were loaded, read from the files.
void FillVersions(const system::System& machine, snapshot::ProbeFacts& facts) {
  collect::LiveFileView view(machine);
  std::map<std::string, std::string> known;
  for (snapshot::ProbeStep& step : facts.steps) {
    for (snapshot::ProbedLibrary& library : step.libraries) {
      if (!library.version.empty() || library.path.empty()) continue;
      const auto [entry, added] = known.try_emplace(library.path);
      if (added) {
        const auto version = view.Version(library.path);
        if (version) entry->second = version->version;
      }
      library.version = entry->second;
    }
  }
}

}  // namespace

Live::Live(probe::Wishes wishes, probe::RunOptions options)
    : wishes_(std::move(wishes)), run_(std::move(options)) {}

base::Result<std::unique_ptr<Live>> Live::Begin(probe::Wishes wishes, int step_seconds, Progress& progress) {
  auto program = probe::FindProgram();
  if (!program) return std::unexpected(program.error());
  probe::RunOptions options;
  options.program = std::move(*program);
  options.step_limit = std::chrono::seconds(step_seconds);
  options.side_by_side = kSideBySide;
  options.on_progress = [&progress](const std::string& what) { progress.Show(what); };
  std::unique_ptr<Live> live(new Live(std::move(wishes), std::move(options)));
  live->run_.Start(probe::DriverJob(live->wishes_));
  return live;
}

void Live::Continue(const snapshot::Snapshot& snapshot) {
  const auto devices = run_.WaitForDevices();
  run_.Limit(SideBySide(devices));
  probe::Plan plan = probe::PlanJobs(snapshot, devices, wishes_);
  not_run_ = std::move(plan.not_run);
  for (probe::Job& job : plan.jobs) run_.Start(std::move(job));
}

snapshot::ProbeFacts Live::Finish(const system::System& machine) {
  snapshot::ProbeFacts facts = run_.Wait();
  for (snapshot::ProbeStep& step : not_run_) facts.steps.push_back(std::move(step));
  for (snapshot::ProbeStep& step : facts.steps) {
    if (const probe::StepKind* kind = probe::FindStep(step.name)) step.title = kind->title;
  }
  FillVersions(machine, facts);
  return facts;
}

}  // namespace culprit::cli

#include "probe/host/live.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/windows/path.h"
#include "probe/host/cudnn_versions.h"
#include "probe/host/steps.h"

namespace culprit::probe {
namespace {

constexpr uint64_t kRoomForSeveral = uint64_t{8} << 30;
constexpr size_t kSideBySide = 4;

// Run several children at a time only if every device allows that and has the memory for it.
size_t SideBySide(const std::vector<snapshot::ProbedDevice>& devices) {
  const bool roomy = std::ranges::all_of(devices, [](const snapshot::ProbedDevice& device) {
    return device.cuda_index.empty() ||
           (device.compute_mode == base::ComputeMode::kDefault && device.memory_free >= kRoomForSeveral);
  });
  return roomy ? kSideBySide : 1;
}

// culprit-probe spells paths as Windows does. C:\a and \\server\a get our spelling; bare names stay.
void SpellInside(std::string& path) {
  if (path.find(":\\") == 1 || path.starts_with("\\\\")) path = base::FromWindowsPath(path);
}

void SpellInside(snapshot::ProbeStep& step) {
  const std::string before = step.library;
  SpellInside(step.subject);
  SpellInside(step.library);
  // "crashed in FILE" names the file too.
  if (const size_t at = before.empty() ? std::string::npos : step.detail.find(before);
      at != std::string::npos)
    step.detail.replace(at, before.size(), step.library);
  for (snapshot::ProbedLibrary& library : step.libraries) SpellInside(library.path);
}

}  // namespace

Live::Live(LiveOptions options)
    : options_(std::move(options)),
      run_({.program = options_.program->path(),
            .step_limit = options_.step_limit,
            .side_by_side = kSideBySide,
            .on_progress = options_.on_progress}) {
  run_.Start(DriverJob(options_.wishes));
}

void Live::Continue(const snapshot::Snapshot& snapshot) {
  const auto devices = run_.WaitForDevices();
  run_.Limit(SideBySide(devices));
  Plan plan = PlanJobs(snapshot, *options_.view, devices, options_.wishes);
  not_run_ = std::move(plan.not_run);
  for (Job& job : plan.jobs) run_.Start(std::move(job));
  if (!options_.wishes.compile) return;
  compiled_ = std::async(std::launch::async, [this, &snapshot, devices] {
    return TryCompiling(snapshot, *options_.compile_view, devices, options_.wishes,
                        {.on_progress = options_.on_progress});
  });
}

void Live::Complete(snapshot::ProbeStep& step) {
  step.title = KindOf(step.name).title;
  if (options_.windows) SpellInside(step);
  for (snapshot::ProbedLibrary& library : step.libraries) {
    if (!library.version.empty() || library.path.empty()) continue;
    if (const auto version = options_.view->Version(library.path)) library.version = version->version;
  }
}

snapshot::ProbeFacts Live::Finish() {
  snapshot::ProbeFacts facts = run_.Wait();
  if (compiled_.valid()) std::ranges::move(compiled_.get().steps, std::back_inserter(facts.steps));
  std::ranges::move(not_run_, std::back_inserter(facts.steps));
  for (snapshot::ProbeStep& step : facts.steps) Complete(step);
  CompareCudnnVersions(facts);
  return facts;
}

std::vector<std::string> FailedCudnn(const snapshot::ProbeFacts& facts) {
  std::vector<std::string> files;
  for (const snapshot::ProbeStep& step : facts.steps) {
    const bool failed =
        step.outcome != snapshot::StepOutcome::kOk && step.outcome != snapshot::StepOutcome::kNotRun &&
        step.status != base::OwnStatus::kWrongResult && !step.status.text().starts_with("CUDA_ERROR") &&
        !step.status.text().starts_with("cuda");
    if (failed && snapshot::JobOf(step.name) == snapshot::JobKind::kCudnn && step.subject.starts_with('/') &&
        std::ranges::find(files, step.subject) == files.end())
      files.push_back(step.subject);
  }
  return files;
}

}  // namespace culprit::probe

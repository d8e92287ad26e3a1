#include "cli/live.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <span>
#include <utility>

#include "base/windows_path.h"
#include "probe/host/cudnn_versions.h"
#include "probe/host/steps.h"

#ifdef CULPRIT_PROBE_INSIDE
extern "C" {
extern const unsigned char culprit_probe_program_begin[];
extern const unsigned char culprit_probe_program_end[];
}
#endif

namespace culprit::cli {
namespace {

constexpr uint64_t kRoomForSeveral = uint64_t{8} << 30;
constexpr size_t kSideBySide = 4;

// The copy of culprit-probe in this program (cmake/culprit_embed.cmake); empty when there is none.
std::span<const unsigned char> ProgramInside() {
#ifdef CULPRIT_PROBE_INSIDE
  return {culprit_probe_program_begin, culprit_probe_program_end};
#else
  return {};
#endif
}

// Several children at a time only where the device lets several in and has memory for all of them.
size_t SideBySide(const std::vector<snapshot::ProbedDevice>& devices) {
  const bool roomy = std::ranges::all_of(devices, [](const snapshot::ProbedDevice& device) {
    return device.cuda_index.empty() ||
           (device.compute_mode == base::ComputeMode::kDefault && device.memory_free >= kRoomForSeveral);
  });
  return roomy ? kSideBySide : 1;
}

// culprit-probe spells paths as Windows does: C:\a and \\server\a become those of the rest of
// culprit, names without a directory stay.
void SpellInside(std::string& path) {
  if (path.find(":\\") == 1 || path.starts_with("\\\\")) path = base::FromWindowsPath(path);
}

void SpellInside(snapshot::ProbeStep& step) {
  const std::string before = step.library;
  SpellInside(step.subject);
  SpellInside(step.library);
  // Who reads "crashed in FILE" there need not be told the file again.
  if (const size_t at = before.empty() ? std::string::npos : step.detail.find(before);
      at != std::string::npos)
    step.detail.replace(at, before.size(), step.library);
  for (snapshot::ProbedLibrary& library : step.libraries) SpellInside(library.path);
}

}  // namespace

Live::Live(const system::System& machine, probe::Wishes wishes, std::unique_ptr<probe::Program> program,
           probe::RunOptions options)
    : machine_(machine),
      view_(machine),
      wishes_(std::move(wishes)),
      program_(std::move(program)),
      run_(options),
      compile_view_(machine),
      on_progress_(std::move(options.on_progress)) {}

base::Result<std::unique_ptr<Live>> Live::Begin(const system::System& machine, probe::Wishes wishes,
                                                int step_seconds, Progress& progress) {
  const char* named = std::getenv("CULPRIT_PROBE");
  auto program = probe::FindProgram(named == nullptr ? "" : named, ProgramInside());
  if (!program) return std::unexpected(program.error());
  probe::RunOptions options;
  options.program = (*program)->path();
  options.step_limit = std::chrono::seconds(step_seconds);
  options.side_by_side = kSideBySide;
  options.on_progress = [&progress](const std::string& what) { progress.Show(what); };
  std::unique_ptr<Live> live(new Live(machine, std::move(wishes), std::move(*program), std::move(options)));
  live->run_.Start(probe::DriverJob(live->wishes_));
  return live;
}

void Live::Continue(const snapshot::Snapshot& snapshot) {
  const auto devices = run_.WaitForDevices();
  run_.Limit(SideBySide(devices));
  probe::Plan plan = probe::PlanJobs(snapshot, view_, devices, wishes_);
  not_run_ = std::move(plan.not_run);
  for (probe::Job& job : plan.jobs) run_.Start(std::move(job));
  if (!wishes_.compile) return;
  compiled_ = std::async(std::launch::async, [this, &snapshot, devices] {
    return probe::TryCompiling(snapshot, compile_view_, devices, wishes_, {.on_progress = on_progress_});
  });
}

std::string Live::VersionOf(const std::string& path) {
  const auto version = view_.Version(path);
  return version ? version->version : "";
}

snapshot::ProbeFacts Live::Finish() {
  snapshot::ProbeFacts facts = run_.Wait();
  if (compiled_.valid()) {
    probe::CompileResult compiled = compiled_.get();
    for (snapshot::ProbeStep& step : compiled.steps) facts.steps.push_back(std::move(step));
  }
  for (snapshot::ProbeStep& step : not_run_) facts.steps.push_back(std::move(step));
  for (snapshot::ProbeStep& step : facts.steps) {
    step.title = probe::KindOf(step.name).title;
    if (machine_.platform() == base::Platform::kWindows) SpellInside(step);
    for (snapshot::ProbedLibrary& library : step.libraries) {
      if (library.version.empty() && !library.path.empty()) library.version = VersionOf(library.path);
    }
  }
  probe::CompareCudnnVersions(facts);
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

}  // namespace culprit::cli

#include "cli/live.h"

#include <cstdlib>
#include <utility>

#include "cli/inside.h"
#include "collect/live_file_view.h"

namespace culprit::cli {

base::Result<std::unique_ptr<probe::Live>> BeginLive(const system::System& machine, probe::Wishes wishes,
                                                     int step_seconds, Progress& progress) {
  const char* named = std::getenv("CULPRIT_PROBE");
  auto program = probe::FindProgram(named == nullptr ? "" : named, ProbeInside());
  if (!program) return std::unexpected(program.error());
  return std::make_unique<probe::Live>(
      probe::LiveOptions{.wishes = std::move(wishes),
                         .program = std::move(*program),
                         .step_limit = std::chrono::seconds(step_seconds),
                         .on_progress = [&progress](const std::string& what) { progress.Show(what); },
                         .view = std::make_unique<collect::LiveFileView>(machine),
                         .compile_view = std::make_unique<collect::LiveFileView>(machine),
                         .windows = machine.platform() == base::Platform::kWindows});
}

void AddLive(probe::Live& live, engine::Diagnosis& diagnosis) {
  live.Continue(diagnosis.snapshot());
  snapshot::ProbeFacts probed = live.Finish();
  const auto failed = probe::FailedCudnn(probed);
  diagnosis.AddProbe(std::move(probed), failed);
}

}  // namespace culprit::cli

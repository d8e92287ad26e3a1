#include "probe/host/blame.h"

#include <cstdint>

#include "base/windows/exception.h"

namespace culprit::probe {
namespace {

std::string Seconds(std::chrono::milliseconds limit) {
  if (limit.count() % 1000 == 0) return std::to_string(limit.count() / 1000) + " s";
  return std::to_string(limit.count()) + " ms";
}

// "" where it ended with a status of its own.
std::string WindowsCrash(int exit_status) {
  const auto code = static_cast<uint32_t>(exit_status);
  return code < 0xC0000000 ? "" : base::WindowsExceptionName(code);
}

void Died(snapshot::ProbeStep& step, const system::ChildEnd& end, const Transcript& transcript,
          const std::string& place) {
  const std::string signal = !transcript.crash_signal().empty() ? transcript.crash_signal()
                             : !end.signal.empty()              ? end.signal
                                                                : WindowsCrash(end.exit_status);
  step.status = signal;
  if (!signal.empty()) {
    step.outcome = StepOutcome::kCrashed;
    step.library = transcript.where();
    step.detail = signal == "SIGKILL"
                      ? "killed from outside (SIGKILL), usually by the kernel's out-of-memory killer"
                      : "crashed with " + signal + (step.library.empty() ? "" : " in " + step.library);
    step.detail += place;
    return;
  }
  step.outcome = StepOutcome::kEnded;
  if (transcript.done()) {
    step.detail = "its process exited before this step";
  } else if (end.exit_status == 126 || end.exit_status == 127) {
    step.status = base::OwnStatus::kNotStarted;
    step.detail = "its program could not be started (exit code " + std::to_string(end.exit_status) + ")";
  } else {
    step.detail =
        "its process exited without a message, exit code " + std::to_string(end.exit_status) + place;
  }
}

}  // namespace

void Blame(snapshot::ProbeStep& step, const base::Result<system::ChildEnd>& end, const Transcript& transcript,
           StepName unasked, std::chrono::milliseconds limit) {
  const std::string place = transcript.current() ? "" : ", before this step started";
  if (!end) {
    step.outcome = StepOutcome::kEnded;
    step.status = base::OwnStatus::kNotStarted;
    step.detail = end.error().message;
  } else if (unasked != StepName::kNone) {
    step.outcome = StepOutcome::kGarbage;
    step.detail = "its process reported " + std::string(base::Word(unasked)) + ", which was not requested";
  } else if (!transcript.problem().empty()) {
    step.outcome = StepOutcome::kGarbage;
    step.detail = transcript.problem();
  } else if (end->out_of_time) {
    step.outcome = StepOutcome::kHung;
    step.library = transcript.where();
    step.detail = "no response for " + Seconds(limit) +
                  (step.library.empty() ? "" : ", last in " + step.library) + place;
  } else {
    Died(step, *end, transcript, place);
  }
}

}  // namespace culprit::probe

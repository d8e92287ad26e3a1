// Any bytes as the output of a probe's child: rejected or understood, with the same result however the pipe
// splits them, and every reported step has a valid outcome.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "probe/host/protocol.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace probe = culprit::probe;
  namespace snapshot = culprit::snapshot;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  probe::Transcript whole, pieces;
  const bool good = whole.Feed(text);
  bool good_in_pieces = true;
  for (size_t at = 0, step = 1; at < size; at += step, step = step % 7 + 1)
    good_in_pieces = pieces.Feed(text.substr(at, step));
  if (good != good_in_pieces || whole.problem() != pieces.problem()) std::abort();
  if (whole.done() != pieces.done() || whole.steps().size() != pieces.steps().size()) std::abort();
  if (whole.devices() != pieces.devices() || whole.where() != pieces.where()) std::abort();
  for (const auto& step : whole.steps()) {
    if (step.outcome != snapshot::StepOutcome::kOk && step.outcome != snapshot::StepOutcome::kFailed &&
        step.outcome != snapshot::StepOutcome::kNotRun)
      std::abort();
    if (probe::DecodeWord(probe::EncodeWord(step.detail)) != step.detail) std::abort();
  }
  return 0;
}

// The status of a failed call or probe step. Most are not ours (a CUDA status, a signal, a Python exception)
// and stay text; culprit's own are a closed list.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/words.h"

namespace culprit::base {

enum class OwnStatus {
  kForeign,  // not one of ours
  kWrongResult,
  kNotFound,
  kNotLoaded,
  kFunctionMissing,
  kNotStarted,
  kNotTried,
  kNotRun,  // only inside culprit-probe; outside, "not run" is an outcome
  kNoDevice,
  kNoSuchDevice,
  kNoAlgorithm,
  kMixedVersions,
  kCpuOnly,
  kNotCuda,
  kOnCpu,
  kCompilerError,
  kLinkerError,
};
constexpr std::array<std::string_view, 17> WordsOf(OwnStatus) {
  return {"",          "wrong-result", "not-found", "not-loaded",     "function-missing", "not-started",
          "not-tried", "not-run",      "no-device", "no-such-device", "no-algorithm",     "mixed-versions",
          "cpu-only",  "not-cuda",     "on-cpu",    "compiler-error", "linker-error"};
}

class StepStatus {
 public:
  StepStatus() = default;
  StepStatus(OwnStatus own) : own_(own), text_(Word(own)) {}  // NOLINT(google-explicit-constructor)
  StepStatus(std::string text)                                // NOLINT(google-explicit-constructor)
      : own_(FromWord<OwnStatus>(text).value_or(OwnStatus::kForeign)), text_(std::move(text)) {}
  StepStatus(const char* text) : StepStatus(std::string(text)) {}  // NOLINT(google-explicit-constructor)

  bool empty() const { return text_.empty(); }
  const std::string& text() const { return text_; }
  bool operator==(OwnStatus own) const { return own_ == own && own != OwnStatus::kForeign; }
  bool operator==(const StepStatus& other) const { return text_ == other.text_; }

 private:
  OwnStatus own_ = OwnStatus::kForeign;
  std::string text_;
};

}  // namespace culprit::base

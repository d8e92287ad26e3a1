// Settings of a GPU, as reported by NVML and the driver.
#pragma once

#include "base/words.h"

namespace culprit::base {

enum class Switch { kUnknown, kOn, kOff };
constexpr std::array<std::string_view, 3> WordsOf(Switch) { return {"", "on", "off"}; }
constexpr Switch SwitchOf(bool on) { return on ? Switch::kOn : Switch::kOff; }

enum class ComputeMode { kUnknown, kDefault, kExclusiveThread, kProhibited, kExclusiveProcess };
constexpr std::array<std::string_view, 5> WordsOf(ComputeMode) {
  return {"", "default", "exclusive-thread", "prohibited", "exclusive-process"};
}
// From the number that CUDA and NVML use.
constexpr ComputeMode ComputeModeOf(int number) {
  return number < 0 || number > 3 ? ComputeMode::kUnknown : static_cast<ComputeMode>(number + 1);
}

}  // namespace culprit::base

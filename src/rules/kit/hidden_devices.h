// The two rules about a CUDA_VISIBLE_DEVICES that hides every GPU, for whoever asks the driver itself.
#pragma once

#include <string_view>

#include "rules/rule.h"

namespace culprit::rules {

// "", "-1", "none" and the like: nobody writes these by mistake.
bool HidesOnPurpose(std::string_view visible_devices);
// The rule that such a value breaks: CUL2001 where it is on purpose, else CUL2002.
const Rule& HiddenDevicesRule(bool on_purpose);

}  // namespace culprit::rules

// The rules by name, for the one table in table.cc.
#pragma once

#include "rules/rule.h"

namespace culprit::rules {

// cuDNN
extern const Rule kCudnnMixedVersions;

}  // namespace culprit::rules

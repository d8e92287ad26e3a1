#include "rules/table.h"

#include <array>

namespace culprit::rules {

std::span<const Rule* const> AllRules() {
  static constexpr std::array table = {
      // cuDNN
      &kCudnnMixedVersions,
  };
  return table;
}

}  // namespace culprit::rules

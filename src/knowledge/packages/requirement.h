// NVIDIA_REQUIRE_*: what an image asks of the host's driver before its container may start. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/version.h"

namespace culprit::knowledge {

enum class Met { kYes, kNo, kUnknown };

// What is known of the host; nullopt and "" where it is not.
struct RequirementFacts {
  std::optional<base::Version> cuda;  // newest CUDA of the driver
  bool cuda_at_least = false;         // ... or a newer one
  std::optional<base::Version> driver;
  std::optional<base::Version> arch;  // compute capability
  std::string brand;                  // "tesla", "geforce"
};

// Alternatives are separated by spaces, conditions that belong together by commas:
// "cuda>=12.4 brand=tesla,driver>=470,driver<471". Properties that are not known to the toolkit count as met.
Met EvaluateRequirement(std::string_view text, const RequirementFacts& facts);

}  // namespace culprit::knowledge

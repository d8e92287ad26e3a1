// NVIDIA_REQUIRE_*: what an image requires of the host's driver before its container can start. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/version.h"

namespace culprit::knowledge {

enum class Met { kYes, kNo, kUnknown };

// What is known about the host; nullopt and "" if unknown.
struct RequirementFacts {
  std::optional<base::Version> cuda;  // newest CUDA of the driver
  bool cuda_at_least = false;         // ... or a newer one
  std::optional<base::Version> driver;
  std::optional<base::Version> arch;  // compute capability
  std::string brand;                  // "tesla", "geforce"
};

// Spaces separate alternatives, commas separate conditions that must all hold: "cuda>=12.4
// brand=tesla,driver>=470,driver<471". Properties that the toolkit does not know count as satisfied.
Met EvaluateRequirement(std::string_view text, const RequirementFacts& facts);

}  // namespace culprit::knowledge

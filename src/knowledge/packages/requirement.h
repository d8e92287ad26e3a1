// NVIDIA_REQUIRE_*: what an image requires of the host's driver before its container can start. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/version.h"

namespace culprit::knowledge {

enum class Met { kYes, kNo, kUnknown };

// A GPU of the host.
struct RequirementGpu {
  std::optional<base::Version> arch{};         // compute capability
  std::span<const std::string_view> brands{};  // that the runtime may take it for: BrandsOf()
};

// What is known about the host; nullopt if unknown.
struct RequirementFacts {
  std::optional<base::Version> cuda{};  // newest CUDA of the driver
  bool cuda_at_least = false;           // ... or a newer one
  std::optional<base::Version> driver{};
  std::vector<RequirementGpu> gpus{};  // each must meet it; none: any GPU
};

// The words that the runtime may have for the brand of a GPU, lower-case; it asks NVML, and newer releases
// know more brands. `name` is "NVIDIA GeForce RTX 4090", "T4" or "" if unknown. All brands where nothing
// tells.
std::span<const std::string_view> BrandsOf(std::string_view name, const std::optional<base::Version>& arch);

enum class RequirementProperty { kCuda, kDriver, kArch, kBrand };

// "driver>=470"
struct RequirementCondition {
  RequirementProperty property = RequirementProperty::kCuda;
  std::string_view text;
  Met met = Met::kUnknown;
};

// Conditions that must all hold: "brand=tesla,driver>=470,driver<471"
using RequirementAlternative = std::vector<RequirementCondition>;

struct RequirementAnswer {
  Met met = Met::kYes;
  std::vector<RequirementAlternative> alternatives{};  // of kNo: why none of them holds, on the GPU `gpu`
  size_t gpu = 0;                                      // index into RequirementFacts::gpus
  std::string_view not_understood{};  // of kUnknown: a condition that is not one, if that is why
};

// Spaces separate alternatives, commas separate conditions that must all hold: "cuda>=12.4
// brand=tesla,driver>=470,driver<471". What refers to `text` lives as long as that.
RequirementAnswer EvaluateRequirement(std::string_view text, const RequirementFacts& facts);

// Whether a value switches something on, as the toolkit reads it: "1", "t", "true" and the like.
bool IsTrueForToolkit(std::string_view value);

}  // namespace culprit::knowledge

// Whether a part of a recipe wants a GPU, and whether it is given one.
#pragma once

#include <string>
#include <vector>

#include "rules/kit/recipe/recipe_facts.h"

namespace culprit::rules {

using snapshot::GpuRequest;
using snapshot::GpuWay;

// Why it wants one; empty if nothing tells. What only the name of the image tells is the last one.
std::vector<report::Evidence> WantsGpu(const PartView& view);
// Whether requests give it one; a runtime class, a runtime of another name or a label of nodes do not count.
bool IsGivenGpu(const RecipePart& part);
inline bool IsGivenGpu(const PartView& view) { return IsGivenGpu(*view.part); }
// A runtime of NVIDIA's by its name: "nvidia", "nvidia-experimental", "nvidia-cdi".
bool IsNvidia(std::string_view name);

}  // namespace culprit::rules

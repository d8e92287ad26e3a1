// Whether a part of a recipe wants a GPU, and whether it is given one.
#pragma once

#include <optional>
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
// The same of all that it is made of: NVIDIA's runtime gives the GPUs that NVIDIA_VISIBLE_DEVICES names.
bool IsGivenGpu(const PartView& view);
// A container of a DaemonSet that looks at every GPU of its node and computes on none: DCGM, a device plugin.
bool OnlyWatchesGpus(const PartView& view);
// The variable by which a container of a pod bypasses the device plugin; nullptr if it does not.
const PartView::Step* TakesGpusOfNode(const PartView& view);
// NVIDIA_DRIVER_CAPABILITIES of what is started, as Docker or the recipe sets it.
struct RecipeCapabilities {
  std::string value;
  const Recipe* recipe = nullptr;
  const RecipePart* part = nullptr;
  uint64_t line = 0;
  report::Evidence evidence;
  bool of_request = false;  // Docker makes it of the capabilities of a device request, whatever else is set
};
// None if nothing sets it, or if it is not known to what.
std::optional<RecipeCapabilities> CapabilitiesOf(const PartView& view);
// The command that asks NVML of the container: nvidia-smi; nullptr if none does, or its failure stops
// nothing.
const PartView::Step* AsksNvml(const PartView& view);
// A runtime of NVIDIA's by its name: "nvidia", "nvidia-experimental", "nvidia-cdi".
bool IsNvidia(std::string_view name);

}  // namespace culprit::rules

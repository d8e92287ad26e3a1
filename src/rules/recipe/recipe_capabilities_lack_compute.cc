// CUL2033: NVIDIA_DRIVER_CAPABILITIES of a recipe lacks compute.
#include "base/text.h"
#include "knowledge/packages/driver_capabilities.h"
#include "rules/kit/recipe/recipe_facts.h"

namespace culprit::rules::recipe_capabilities_lack_compute {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The recipe sets NVIDIA_DRIVER_CAPABILITIES to a list without `compute`, so the runtime need not mount libcuda.so.1.

## Why it breaks
The runtime mounts libraries by capability: utility provides nvidia-smi and NVML, compute provides libcuda. With utility alone
nvidia-smi works and CUDA does not.

## How culprit knows
The value in the file.

## Fix
Set it to compute,utility (with what else the program needs: video, graphics), or to all.

## When this is not your problem
The container is only for display or video. With CDI (podman, and the runtime's default mode since NVIDIA Container Toolkit 1.18) every
container with a GPU has libcuda.

## Sources
NVIDIA Container Toolkit documentation, driver capabilities.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const std::string name = "NVIDIA_DRIVER_CAPABILITIES";
  for (const PartView& view : Started(scene)) {
    const PartView::Step* set = view.Variable(name);
    if (set == nullptr || (*set)->vague) continue;
    const std::string& value = (*set)->words.back();
    if (knowledge::ReadDriverCapabilities(value).Has(knowledge::DriverCapability::kCompute)) continue;
    if (base::Contains(value, "graphics") || base::Contains(value, "display") ||
        base::Contains(value, "video"))
      continue;
    report::Finding& finding = FireAt(
        ruling,
        name + "=" + value + " of " + view.part->name + " lacks compute, so it may have no libcuda.so.1",
        *set->recipe, *set->part, (*set)->line);
    finding.evidence.push_back(AsEvidence(*set));
    finding.fix = {.text = "set NVIDIA_DRIVER_CAPABILITIES to compute,utility",
                   .commands = {},
                   .risk = report::Risk::kLow};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL2033",
                           .name = "recipe_capabilities_lack_compute",
                           .family = Family::kVisibility,
                           .explains = Explains::kNothing,
                           .cause = "container-runtime",
                           .severity = report::Severity::kWarning,
                           .looks_at = LooksAt::kRecipe,
                           .since = "0.9.0",
                           .title = "NVIDIA_DRIVER_CAPABILITIES of a recipe lacks compute",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::recipe_capabilities_lack_compute

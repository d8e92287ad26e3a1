// CUL2034: a recipe mounts files of the driver by hand.
#include "base/text.h"
#include "rules/kit/recipe/recipe_gpu.h"

namespace culprit::rules::driver_files_mounted {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A compose service or pod mounts libcuda, another library of the driver, or /dev/nvidia* of the host by hand.

## Why it breaks
The driver is one set of files of one version, and more of them with each release. After an update of the host the mounts are
incomplete or of two versions: "driver/library version mismatch", 803. A device node alone gives no libcuda.

## How culprit knows
Mounts and devices in the file.

## Fix
Leave them out, and ask for the GPU: NVIDIA's runtime mounts what belongs together.

## When this is not your problem
A device plugin, a driver installer or a monitoring agent of the node itself works with these files.

## Sources
NVIDIA Container Toolkit documentation; Kubernetes documentation, Schedule GPUs.
)md";

bool IsOfDriver(std::string_view path) {
  const std::string_view name = base::BaseName(path);
  return name.starts_with("libcuda.so") || name.starts_with("libnvidia-ml.so") ||
         name.starts_with("libnvidia-ptxjit") || name == "nvidia-smi" ||
         (path.starts_with("/usr/lib") && name.starts_with("nvidia-"));
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const PartView& view : Started(scene)) {
    std::vector<report::Evidence> evidence;
    uint64_t line = 0;
    for (const PartView::Step& step : view.steps) {
      const bool library = step->kind == StepKind::kMount &&
                           (IsOfDriver(step->words.front()) || IsOfDriver(step->words.back()));
      const bool device = step->kind == StepKind::kDevice && step->words.front().starts_with("/dev/nvidia");
      if (!library && !device) continue;
      if (line == 0) line = step->line;
      evidence.push_back(AsEvidence(step));
    }
    if (line == 0) continue;
    report::Finding& finding = FireAt(ruling, view.part->name + " takes files of the host's driver by hand",
                                      *view.recipe, *view.part, line);
    finding.evidence = std::move(evidence);
    finding.fix = {
        .text =
            IsGivenGpu(view)
                ? "leave these mounts out; the GPU that it asks for brings them"
                : "leave these mounts out and ask for a GPU; NVIDIA's runtime brings what belongs together",
        .commands = {},
        .risk = report::Risk::kLow};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL2034",
                           .name = "driver_files_mounted",
                           .family = Family::kVisibility,
                           .explains = Explains::kNothing,
                           .cause = "driver-library-mismatch",
                           .severity = report::Severity::kWarning,
                           .looks_at = LooksAt::kRecipe,
                           .since = "0.9.0",
                           .title = "a recipe mounts files of the driver by hand",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::driver_files_mounted

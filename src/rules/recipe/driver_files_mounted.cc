// CUL2034: a recipe mounts driver files by hand.
#include "base/text.h"
#include "rules/kit/recipe/recipe_gpu.h"

namespace culprit::rules::driver_files_mounted {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A compose service or pod mounts the host's libcuda, another driver library, or /dev/nvidia* by hand.
## Why it breaks
The driver is a set of files of one version, and the set grows with each release. After a driver update on the host,
the mounts are incomplete or mix two versions: "driver/library version mismatch", 803. A device node alone does not
provide libcuda.
## How culprit knows
From the mounts and devices in the file.
## Fix
Remove them and request a GPU instead: NVIDIA's runtime mounts the matching set of files.
## When this is not your problem
It is a device plugin, a driver installer or a monitoring agent of the node: these work with the files directly.
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
    report::Finding& finding = FireAt(ruling, view.part->name + " mounts the host's driver files by hand",
                                      *view.recipe, *view.part, line);
    finding.evidence = std::move(evidence);
    finding.fix = {
        .text = IsGivenGpu(view)
                    ? "remove these mounts; NVIDIA's runtime adds them for the requested GPU"
                    : "remove these mounts and request a GPU; NVIDIA's runtime mounts the matching files",
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
                           .title = "a recipe mounts driver files by hand",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::driver_files_mounted

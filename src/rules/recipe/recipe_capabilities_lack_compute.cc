// CUL2033: NVIDIA_DRIVER_CAPABILITIES in a recipe lacks compute.
#include "base/text.h"
#include "knowledge/packages/driver_capabilities.h"
#include "rules/kit/recipe/recipe_gpu.h"

namespace culprit::rules::recipe_capabilities_lack_compute {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The recipe sets NVIDIA_DRIVER_CAPABILITIES to a list without `compute`, so the runtime may leave out libcuda.so.1. A
device request in a compose file has the same effect: for capabilities: [gpu, utility] Docker sets
NVIDIA_DRIVER_CAPABILITIES=utility, whatever else is set.
## Why it breaks
The runtime mounts libraries by capability: utility provides nvidia-smi and NVML, compute provides libcuda. With
utility alone nvidia-smi works and CUDA does not. Video programs (NVENC, NVDEC) load libcuda too: "Cannot load
libcuda.so.1".
## How culprit knows
From the value in the file, or from the capabilities of the device request.
## Fix
Set it to compute,utility (plus what else the program needs: video, graphics), or to all. In a device request write
only [gpu], or add compute.
## When this is not your problem
The container is only for graphics or display, or for monitoring (culprit is silent about that in a DaemonSet). With
CDI (podman, and the runtime's default mode since NVIDIA Container Toolkit 1.18) every container with a GPU has
libcuda.
## Sources
NVIDIA Container Toolkit documentation, driver capabilities; moby/moby@18a2f3f0: daemon/nvidia_linux.go (setNvidiaGPUs);
FFmpeg/nv-codec-headers@0b1e0f8d: include/ffnvcodec/dynlink_loader.h (what FFmpeg loads for NVENC and NVDEC).
)md";

// Whether a container with these may compute, is for what needs no libcuda, or is not started (CUL2041).
bool Suffices(const std::string& value) {
  const auto capabilities = knowledge::ReadDriverCapabilities(value);
  return capabilities.Has(knowledge::DriverCapability::kCompute) || !capabilities.unknown.empty() ||
         base::Contains(value, "graphics") || base::Contains(value, "display");
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const PartView& view : Started(scene)) {
    const auto set = CapabilitiesOf(view);
    if (!set || Suffices(set->value) || OnlyWatchesGpus(view)) continue;
    report::Finding& finding = FireAt(
        ruling,
        (set->of_request
             ? "the device request of " + view.part->name + " has " + set->value + " but not compute"
             : "NVIDIA_DRIVER_CAPABILITIES=" + set->value + " of " + view.part->name + " lacks compute") +
            ", so libcuda.so.1 may be missing",
        *set->recipe, *set->part, set->line);
    finding.evidence.push_back(set->evidence);
    finding.fix = {.text = set->of_request ? "write capabilities: [gpu], or add compute"
                                           : "set NVIDIA_DRIVER_CAPABILITIES to compute,utility",
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
                           .title = "NVIDIA_DRIVER_CAPABILITIES in a recipe lacks compute",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::recipe_capabilities_lack_compute

// CUL2036: a pod bypasses the device plugin and takes GPUs of its node directly.
#include "base/text.h"
#include "rules/kit/recipe/recipe_gpu.h"

namespace culprit::rules::pod_bypasses_device_plugin {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A container of a pod sets NVIDIA_VISIBLE_DEVICES to all, or to device numbers.
## Why it breaks
The device plugin itself sets this variable to the GPUs that it assigned to the container. With `all`, a container
without a limit sees every GPU of the node, including those of other pods, and two programs share a GPU: out of memory
for no visible reason. Where the plugin or the runtime does not accept the variable
(accept-nvidia-visible-devices-envvar-when-unprivileged = false), it has no effect.
## How culprit knows
From the variable in the manifest and the limits next to it.
## Fix
Remove the variable and set the limit nvidia.com/gpu.
## When this is not your problem
It is a monitoring agent (DCGM) or a device plugin, which looks at every GPU and uses none. Culprit is silent about
these in a DaemonSet.
## Sources
NVIDIA/k8s-device-plugin@00f2a02c: README.md (DEVICE_LIST_STRATEGY); NVIDIA Container Toolkit documentation, environment variables.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const std::string name = "NVIDIA_VISIBLE_DEVICES";
  for (const PartView& view : Started(scene)) {
    const PartView::Step* set = TakesGpusOfNode(view);
    if (set == nullptr) continue;
    const std::string value(base::Trim((*set)->words.back()));
    const bool given = IsGivenGpu(view);
    report::Finding& finding =
        FireAt(ruling,
               view.part->name + " sets " + name + "=" + value +
                   (given ? ", but the device plugin sets this variable" : " and bypasses the device plugin"),
               *view.recipe, *view.part, (*set)->line);
    finding.evidence.push_back(AsEvidence(*set));
    finding.fix = {
        .text = given ? "remove " + name + "; the device plugin sets it according to the limit nvidia.com/gpu"
                      : "set the limit nvidia.com/gpu: 1 instead of " + name,
        .commands = {},
        .risk = report::Risk::kLow};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL2036",
                           .name = "pod_bypasses_device_plugin",
                           .family = Family::kVisibility,
                           .explains = Explains::kNothing,
                           .cause = "container-runtime",
                           .severity = report::Severity::kWarning,
                           .looks_at = LooksAt::kRecipe,
                           .since = "0.9.0",
                           .title = "a pod bypasses the device plugin and takes GPUs of its node directly",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::pod_bypasses_device_plugin

// CUL2036: a pod takes every GPU of its node past the device plugin.
#include "base/text.h"
#include "rules/kit/recipe/recipe_gpu.h"

namespace culprit::rules::pod_bypasses_device_plugin {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A container of a pod sets NVIDIA_VISIBLE_DEVICES to all, or to devices by number.

## Why it breaks
The device plugin sets this variable itself to the GPUs that the container was given. With `all` a container without a limit sees every GPU of the
node, also those of others, and two programs share a GPU: out of memory for no visible reason. Where the plugin or the runtime does not accept
the variable (accept-nvidia-visible-devices-envvar-when-unprivileged = false), it has no effect.

## How culprit knows
The variable in the manifest, and the limits beside it.

## Fix
Leave the variable out and set the limit nvidia.com/gpu.

## When this is not your problem
A monitoring agent (DCGM) or a device plugin, which looks at every GPU and takes none. Culprit is silent about those of a DaemonSet.

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
                   (given ? ", which the device plugin decides" : ", past the device plugin"),
               *view.recipe, *view.part, (*set)->line);
    finding.evidence.push_back(AsEvidence(*set));
    finding.fix = {.text = given ? "leave " + name +
                                       " out; the limit nvidia.com/gpu decides which GPUs the container has"
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
                           .title = "a pod takes every GPU of its node past the device plugin",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::pod_bypasses_device_plugin

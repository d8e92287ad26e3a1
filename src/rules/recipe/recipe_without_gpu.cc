// CUL2031: a compose service or pod needs a GPU but requests none.
#include <algorithm>

#include "rules/kit/recipe/recipe_gpu.h"

namespace culprit::rules::recipe_without_gpu {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A compose service or a container of a pod is meant to use a GPU, but nothing in the file gives it one.
## Why it breaks
A container sees only the GPUs that are requested for it. Without a request: `libcuda.so.1: cannot open shared object
file`, "Found no NVIDIA driver on your system", or a program that silently runs on the CPU. NVIDIA_VISIBLE_DEVICES
alone requests nothing: only NVIDIA's runtime reads it. And that runtime (`runtime: nvidia`) provides no GPU without
the variable; CUDA images set it, a Python image does not. In a cluster where this runtime is the default, a container
without a request sees every GPU of its node, including those of other pods.
## How culprit knows
The variables NVIDIA_VISIBLE_DEVICES and CUDA_VISIBLE_DEVICES, the command, a nodeSelector for nodes with GPUs, and
the image name (data/images.toml) show that a GPU is needed. `deploy.resources.reservations.devices`, `gpus`,
`runtime: nvidia` (on an image without CUDA only with NVIDIA_VISIBLE_DEVICES), CDI devices, and limits, requests and
claims of GPUs show that one is given.
## Fix
In a compose file, reserve a device with the capability gpu; in a pod, set the limit nvidia.com/gpu.

## When this is not your problem
Another file adds it (`docker compose -f compose.yaml -f compose.gpu.yaml`, a Kustomize patch; culprit is silent about
a service that extends one in another file), nvidia is the Docker daemon's default runtime, or this container uses its
CUDA image without the GPU. Culprit is silent where CUDA_VISIBLE_DEVICES or NVIDIA_VISIBLE_DEVICES hides every GPU,
and about monitoring agents and device plugins in a DaemonSet.
## Sources
Docker documentation, Enable GPU access with Docker Compose; Kubernetes documentation, Schedule GPUs; NVIDIA/k8s-device-plugin@00f2a02c:
README.md (running GPU jobs); NVIDIA Container Toolkit documentation, environment variables.
)md";

report::Fix AskFor(const PartView& view) {
  const std::string& part = view.part->name;
  if (IsGivenGpu(*view.part)) {  // by the runtime, which knows of no GPU to give
    return {.text = "set NVIDIA_VISIBLE_DEVICES=all in " + part +
                    ": the nvidia runtime provides the GPUs that this variable names",
            .commands = {},
            .risk = report::Risk::kLow};
  }
  if (view.recipe->kind == snapshot::RecipeKind::kKubernetes) {
    return {.text = "request a GPU in " + part + ": resources: {limits: {nvidia.com/gpu: 1}}",
            .commands = {"kubectl describe nodes | grep nvidia.com/gpu"},
            .risk = report::Risk::kLow};
  }
  return {.text = "reserve a GPU in " + part +
                  ": deploy: {resources: {reservations: {devices: [{driver: nvidia, count: all, "
                  "capabilities: [gpu]}]}}}; "
                  "the host needs the nvidia-container-toolkit",
          .commands = {},
          .risk = report::Risk::kLow};
}

// Another container of the pod has one: this one may only prepare its data.
bool SiblingHasGpu(const PartView& view) {
  const auto pod_of = [](const RecipePart& part) {
    return part.name.substr(std::min(part.name.find(" of "), part.name.size()));
  };
  return std::ranges::any_of(view.recipe->parts, [&](const RecipePart& other) {
    return &other != view.part && pod_of(other) == pod_of(*view.part) && IsGivenGpu(other);
  });
}

// Whether nothing but the image and labels of the pod, which all of its containers share, speaks for a GPU.
bool OnlyOfPod(const PartView& view, size_t reasons) {
  const auto labels =
      static_cast<size_t>(std::ranges::count(view.part->gpus, GpuWay::kNode, &GpuRequest::way));
  return reasons == labels + (view.HasCuda() ? 1 : 0);
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const PartView& view : Started(scene)) {
    const bool started = view.recipe->kind != snapshot::RecipeKind::kDockerfile;
    if (!started || view.part->open || IsGivenGpu(view) || OnlyWatchesGpus(view)) continue;
    if (TakesGpusOfNode(view) != nullptr) continue;  // CUL2036
    const auto why = WantsGpu(view);
    const bool pod = view.recipe->kind == snapshot::RecipeKind::kKubernetes;
    if (why.empty() || (pod && OnlyOfPod(view, why.size()) && SiblingHasGpu(view))) continue;
    report::Finding& finding = FireAt(ruling, view.part->name + " needs a GPU but requests none",
                                      *view.recipe, *view.part, view.part->line);
    finding.evidence = why;
    finding.evidence.push_back({"no GPU is requested", PlaceOf(*view.recipe, view.part->line)});
    for (const GpuRequest& request : view.part->gpus) {
      if (request.way == GpuWay::kClass)
        finding.evidence.push_back({"runtimeClassName " + request.name + " chooses a runtime, not a GPU",
                                    PlaceOf(*view.recipe, request.line)});
    }
    finding.fix = AskFor(view);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL2031",
                           .name = "recipe_without_gpu",
                           .family = Family::kVisibility,
                           .explains = Explains::kNothing,
                           .cause = "container-runtime",
                           .severity = report::Severity::kWarning,
                           .looks_at = LooksAt::kRecipe,
                           .since = "0.9.0",
                           .title = "a compose service or pod needs a GPU but requests none",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::recipe_without_gpu

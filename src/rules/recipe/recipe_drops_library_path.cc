// CUL5052: a Dockerfile overwrites the LD_LIBRARY_PATH of its base image.
#include "base/text.h"
#include "rules/kit/recipe/recipe_facts.h"

namespace culprit::rules::recipe_drops_library_path {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The Dockerfile sets LD_LIBRARY_PATH to a new value, but the base image relies on the old one.
## Why it breaks
Most NVIDIA images have /usr/local/nvidia/lib and lib64 in LD_LIBRARY_PATH, where some hosts (Google Kubernetes
Engine, nvidia-docker 1) mount the driver. Newer images also list /usr/local/cuda/lib64, and framework images list the
directories of their libraries.
## How culprit knows
From ENV lines without $LD_LIBRARY_PATH in their value, on an nvidia/cuda or nvcr.io/nvidia image.
## Fix
Keep the old value: ENV LD_LIBRARY_PATH=/new:$LD_LIBRARY_PATH.

## When this is not your problem
The hosts mount the driver into the usual directories, as the NVIDIA Container Toolkit does.

## Sources
gitlab.com/nvidia/container-images/cuda, as in taehun-kmu/FMCL-Docker@31bd822f: dist/12.6.3/ubuntu2404/base/Dockerfile
(LD_LIBRARY_PATH), @0336e30f: README.md (nvidia-docker 1); Google Cloud documentation, Run GPUs in GKE Standard node pools (CUDA libraries);
GoogleCloudPlatform/container-engine-accelerators@31ee590e: cmd/nvidia_gpu/README.md;
for 12.8.1, thesavant42/layerslayer@45c439d2: plans/refactor-peek-api.md (the history of an image).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const PartView& view : Started(scene)) {
    if (!view.image.compat) continue;  // images of NVIDIA's own
    const PartView::Step* set = view.Variable("LD_LIBRARY_PATH");
    if (set == nullptr) continue;
    const std::string& value = (*set)->words.back();
    if (base::Contains(value, "LD_LIBRARY_PATH") || base::Contains(value, "/usr/local/nvidia")) continue;
    report::Finding& finding =
        FireAt(ruling, "LD_LIBRARY_PATH of " + view.part->name + " replaces the value of " + view.base->image,
               *set->recipe, *set->part, (*set)->line);
    finding.evidence = {AsEvidence(*set), ImageEvidence(view)};
    finding.fix = {
        .text = "end the value with :$LD_LIBRARY_PATH", .commands = {}, .risk = report::Risk::kNone};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5052",
                           .name = "recipe_drops_library_path",
                           .family = Family::kLoading,
                           .explains = Explains::kNothing,
                           .cause = "search-path",
                           .severity = report::Severity::kNote,
                           .looks_at = LooksAt::kRecipe,
                           .since = "0.9.0",
                           .title = "a Dockerfile overwrites the LD_LIBRARY_PATH of its base image",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::recipe_drops_library_path

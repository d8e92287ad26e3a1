// CUL2041: NVIDIA_DRIVER_CAPABILITIES has a word that the container runtime does not know.
#include "knowledge/packages/driver_capabilities.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/kit/recipe/recipe_gpu.h"
#include "rules/rule.h"

namespace culprit::rules::container_capability_unknown {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
NVIDIA_DRIVER_CAPABILITIES in the image, or in a Dockerfile, compose file or pod, contains a word that is not a
capability.
## Why it breaks
The hook that `docker run --gpus` starts, and the runtime's legacy mode, refuse to start such a container: `unsupported
capabilities found in 'compute,gpu' (allowed 'compute')`.

## How culprit knows
From the words in the variable. The runtime knows compute, utility, video, graphics, display, ngx, compat32 and all.
## Fix
Correct the variable in the image, or set it when the container starts. compute,utility is enough for CUDA.

## When this is not your problem
With CDI (podman, and the runtime's default mode since NVIDIA Container Toolkit 1.18) the variable is not read.
## Sources
NVIDIA/nvidia-container-toolkit@d34b3046: cmd/nvidia-container-runtime-hook/container_config.go,
internal/config/image/capabilities.go.
)md";

constexpr std::string_view kWrong = "\" in NVIDIA_DRIVER_CAPABILITIES is not a driver capability: the ";

void CheckRecipes(const Scene& scene, Ruling& ruling) {
  for (const PartView& view : Started(scene)) {
    const auto set = CapabilitiesOf(view);
    if (!set) continue;
    const auto capabilities = knowledge::ReadDriverCapabilities(set->value);
    if (capabilities.unknown.empty()) continue;
    const std::string& word = capabilities.unknown.front();
    report::Finding& finding =
        FireAt(ruling,
               "\"" + word + std::string(kWrong) + "container runtime may refuse to start " + view.part->name,
               *set->recipe, *set->part, set->line, {word});
    finding.evidence.push_back(set->evidence);
    const bool compute = capabilities.Has(knowledge::DriverCapability::kCompute);
    finding.fix = {.text = "remove \"" + word + "\"" + (compute ? "" : "; CUDA needs compute"),
                   .commands = {},
                   .risk = report::Risk::kLow};
  }
}

void Check(const Scene& scene, Ruling& ruling) {
  if (scene.stack().recipes) return CheckRecipes(scene, ruling);
  const std::string name = "NVIDIA_DRIVER_CAPABILITIES";
  if (!IsImageForHost(scene) || !scene.IsSet(name)) return ruling.NotApplicable();
  const std::string value(scene.Variable(name));
  const auto capabilities = knowledge::ReadDriverCapabilities(value);
  if (capabilities.unknown.empty()) return;
  const std::string& word = capabilities.unknown.front();
  report::Finding& finding = ruling.Fire(
      "\"" + word + std::string(kWrong) + "container runtime may refuse to start this image", name, {word});
  finding.evidence.push_back({name + "=" + value, "environment"});
  const bool compute = capabilities.Has(knowledge::DriverCapability::kCompute);
  finding.fix = {.text = "remove \"" + word + "\"" + (compute ? "" : "; CUDA needs compute") +
                         ", in the image or when the container starts",
                 .commands = {"docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility ..."},
                 .risk = report::Risk::kLow,
                 .changes = {report::SetVariable{name, "compute,utility"}}};
}

}  // namespace

extern const Rule kRule = {.code = "CUL2041",
                           .name = "container_capability_unknown",
                           .family = Family::kVisibility,
                           .cause = "container-runtime",
                           .severity = report::Severity::kWarning,
                           .looks_at = LooksAt::kBoth,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "NVIDIA_DRIVER_CAPABILITIES lists an unknown capability",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::container_capability_unknown

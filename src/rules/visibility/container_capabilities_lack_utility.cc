// CUL2042: a program needs NVML, and the container gets no libnvidia-ml.
#include <algorithm>

#include "base/text.h"
#include "knowledge/libraries.h"
#include "knowledge/packages/driver_capabilities.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/kit/recipe/recipe_gpu.h"
#include "rules/rule.h"

namespace culprit::rules::container_capabilities_lack_utility {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A program or library in the image needs libnvidia-ml.so.1 (NVML), or a container in a compose file or pod runs
nvidia-smi, but NVIDIA_DRIVER_CAPABILITIES lacks `utility`, so the runtime does not mount them.
## Why it breaks
The runtime mounts libraries by capability: compute provides libcuda, utility provides NVML and nvidia-smi. Without NVML, NCCL
cannot start and nvidia-smi is not there; CUDA itself works.

## How culprit knows
From the variable and the simulated loads, in which something asks for libnvidia-ml.so.1. For a Dockerfile, compose
file or manifest: from the variable or the capabilities of the device request, and from what the container or its
health check runs.
## Fix
Start the container with compute,utility, or set that value in the image.
## When this is not your problem
The program tries to load NVML but works without it. With CDI (podman, and the runtime's default mode since NVIDIA
Container Toolkit 1.18) the variable is not read.
## Sources
NVIDIA/libnvidia-container: src/nvc_info.c; NVIDIA Container Toolkit documentation, driver capabilities; NVIDIA/nccl:
src/misc/nvmlwrap.cc.
)md";

constexpr std::string_view kNvml = "libnvidia-ml.so.1";

// NCCL gives up without it; other CUDA libraries that open it do without.
bool NeedsIt(const loader::LoadGraph& graph, const loader::Request& request) {
  if (request.opened_by == loader::OpenedBy::kNeeded) return true;
  const auto* asker =
      request.requester < graph.objects.size() ? LibraryOf(graph.objects[request.requester]) : nullptr;
  return asker != nullptr && asker->name == "nccl";
}

void CheckRecipes(const Scene& scene, Ruling& ruling) {
  for (const PartView& view : Started(scene)) {
    const auto set = CapabilitiesOf(view);
    const PartView::Step* asks = AsksNvml(view);
    if (!set || asks == nullptr) continue;
    const auto capabilities = knowledge::ReadDriverCapabilities(set->value);
    if (!capabilities.unknown.empty() || capabilities.Has(knowledge::DriverCapability::kUtility)) continue;
    report::Finding& finding = FireAt(
        ruling,
        (set->of_request
             ? "the device request of " + view.part->name + " has " + set->value + " but not utility"
             : "NVIDIA_DRIVER_CAPABILITIES=" + set->value + " of " + view.part->name + " lacks utility") +
            ", so nvidia-smi, which it runs, may be missing",
        *set->recipe, *set->part, set->line);
    finding.evidence = {set->evidence, AsEvidence(*asks)};
    finding.fix = {.text = set->of_request ? "write capabilities: [gpu], or add utility"
                                           : "set NVIDIA_DRIVER_CAPABILITIES to compute,utility",
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
  if (!capabilities.unknown.empty() || capabilities.Has(knowledge::DriverCapability::kUtility)) return;
  for (const loader::Scenario& scenario : scene.scenarios) {
    const auto& requests = scenario.graph.requests;
    const auto asks = std::ranges::find_if(requests, [&](const loader::Request& request) {
      return base::BaseName(request.name) == kNvml && request.object == loader::kNone &&
             NeedsIt(scenario.graph, request);
    });
    if (scenario.kind == loader::Scenario::Kind::kAnyProgram || asks == requests.end()) continue;
    const std::string& asker = asks->requester < scenario.graph.objects.size()
                                   ? scenario.graph.objects[asks->requester].path
                                   : asks->requester_path;
    report::Finding& finding =
        ruling.Fire("NVIDIA_DRIVER_CAPABILITIES=" + value + " lacks utility, so the runtime may not mount " +
                        std::string(kNvml) + ", which " + std::string(base::BaseName(asker)) + " needs",
                    name);
    finding.affects.push_back(scenario.title);
    finding.evidence.push_back({name + "=" + value, "environment"});
    finding.evidence.push_back({"it needs " + std::string(kNvml), asker});
    finding.fix = {.text = "start the container with the utility capability too",
                   .commands = {"docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility ..."},
                   .risk = report::Risk::kLow,
                   .changes = {report::SetVariable{name, "compute,utility"}}};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL2042",
                           .name = "container_capabilities_lack_utility",
                           .family = Family::kVisibility,
                           .cause = "container-runtime",
                           .severity = report::Severity::kWarning,
                           .looks_at = LooksAt::kBoth,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "NVIDIA_DRIVER_CAPABILITIES lacks utility",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::container_capabilities_lack_utility

// CUL2032: a device request of a compose file is refused or gives no GPU.
#include <algorithm>

#include "rules/kit/recipe/recipe_gpu.h"

namespace culprit::rules::compose_device_request_invalid {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
An entry of `deploy.resources.reservations.devices` lacks capabilities, has no gpu among them, or names both count and device_ids.

## Why it breaks
Compose refuses the file: capabilities is required, and count and device_ids exclude each other. Without the capability gpu Docker finds
no driver for the request: "could not select device driver".

## How culprit knows
The entry itself.

## Fix
Write capabilities: [gpu], and only one of count and device_ids.

## When this is not your problem
The device is not a GPU of NVIDIA's, and another driver is named.

## Sources
Docker documentation, Enable GPU access with Docker Compose; compose-spec/compose-spec@04828616: deploy.md
(devices).
)md";

// What is wrong with it; "" for nothing.
std::string Mistake(const GpuRequest& request) {
  if (!request.says_capabilities || request.capabilities.empty())
    return "has no capabilities, which compose requires";
  if (!request.count.empty() && !request.ids.empty())
    return "has both count and device_ids, which exclude each other";
  const bool gpu = std::ranges::any_of(
      request.capabilities, [](const std::string& name) { return name == "gpu" || name == "nvidia"; });
  if (!gpu && (request.name.empty() || request.name == "nvidia")) return "has no gpu among its capabilities";
  return "";
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const PartView& view : Started(scene)) {
    for (const GpuRequest& request : view.part->gpus) {
      const std::string mistake = request.way == GpuWay::kDevices ? Mistake(request) : "";
      if (mistake.empty()) continue;
      report::Finding& finding = FireAt(ruling, "the device of " + view.part->name + " " + mistake,
                                        *view.recipe, *view.part, request.line);
      finding.evidence.push_back({"a device without a valid request", PlaceOf(*view.recipe, request.line)});
      finding.fix = {.text =
                         "write it as {driver: nvidia, count: all, capabilities: [gpu]}, or device_ids in "
                         "place of count",
                     .commands = {},
                     .risk = report::Risk::kLow};
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL2032",
                           .name = "compose_device_request_invalid",
                           .family = Family::kVisibility,
                           .explains = Explains::kNothing,
                           .cause = "container-runtime",
                           .severity = report::Severity::kError,
                           .looks_at = LooksAt::kRecipe,
                           .since = "0.9.0",
                           .title = "a device request of a compose file is refused or gives no GPU",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::compose_device_request_invalid

// CUL2032: a device request in a compose file is invalid or gives no GPU.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "rules/kit/recipe/recipe_gpu.h"

namespace culprit::rules::compose_device_request_invalid {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
An entry in `deploy.resources.reservations.devices` has no capabilities, has one that Docker's nvidia driver does not
know, has a string where a list is required, or sets both count and device_ids. Or `gpus` is neither `all` nor a list.
## Why it breaks
Compose rejects the file: capabilities is required, capabilities and device_ids must be lists, and count and
device_ids are mutually exclusive. Docker picks a driver that knows every requested capability; NVIDIA's knows gpu,
nvidia, compute, compat32, graphics, utility, video and display. For any other capability it finds no driver: "could
not select device driver".
## How culprit knows
It reads the entry in the compose file.
## Fix
Write capabilities: [gpu], and only one of count and device_ids.
## When this is not your problem
The device is not an NVIDIA GPU, and the entry names another driver.
## Sources
Docker documentation, Enable GPU access with Docker Compose; compose-spec/compose-spec@04828616: deploy.md
(devices); compose-spec/compose-spec@00655e22: schema/compose-spec.json (devices, gpus); moby/moby@18a2f3f0: daemon/nvidia_linux.go (the capabilities); moby/moby@168f07f3: daemon/devices.go (handleDevice);
moby/moby@5bc86836: daemon/internal/capabilities/caps.go (all of them must be known).
)md";

// What Docker's driver nvidia knows.
bool IsCapability(std::string_view name) {
  static constexpr std::array<std::string_view, 8> kNames = {"gpu",      "nvidia",  "compute", "compat32",
                                                             "graphics", "utility", "video",   "display"};
  return std::ranges::find(kNames, name) != kNames.end() || base::Contains(name, "$");
}

// What is wrong with it; "" for nothing.
std::string Mistake(const GpuRequest& request) {
  if (!request.misshapen.empty())
    return "has a string in " + request.misshapen + ", where compose requires a list";
  if (!request.says_capabilities || request.capabilities.empty())
    return "has no capabilities, which compose requires";
  if (!request.count.empty() && !request.ids.empty())
    return "sets both count and device_ids, which are mutually exclusive";
  const auto unknown = std::ranges::find_if_not(request.capabilities, IsCapability);
  if (request.name == "nvidia" && unknown != request.capabilities.end())
    return "has the capability " + *unknown + ", which Docker's nvidia driver does not know";
  if (request.name.empty() && std::ranges::none_of(request.capabilities, IsCapability))
    return "has no gpu among its capabilities";
  return "";
}

// `gpus: 2`, which is an option of docker run and no value here.
bool IsCounted(const GpuRequest& request) {
  return request.way == GpuWay::kGpus && request.name.empty() && request.count != "all" &&
         !base::Contains(request.count, "$");
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const PartView& view : Started(scene)) {
    for (const GpuRequest& request : view.part->gpus) {
      const std::string mistake = request.way == GpuWay::kDevices ? Mistake(request) : "";
      const bool counted = IsCounted(request);
      if (mistake.empty() && !counted) continue;
      report::Finding& finding = FireAt(ruling,
                                        counted ? "gpus of " + view.part->name + " is " + request.count +
                                                      "; compose accepts only all, or a list of devices"
                                                : "the device request of " + view.part->name + " " + mistake,
                                        *view.recipe, *view.part, request.line);
      finding.evidence.push_back({counted ? "gpus: " + request.count : "an invalid device request",
                                  PlaceOf(*view.recipe, request.line)});
      finding.fix = {.text = counted ? "write gpus: all, or a list: gpus: [{count: 1}]"
                                     : "write it as {driver: nvidia, count: all, capabilities: [gpu]}, or "
                                       "with device_ids instead of count",
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
                           .title = "a device request in a compose file is invalid or gives no GPU",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::compose_device_request_invalid

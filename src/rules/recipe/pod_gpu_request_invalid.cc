// CUL2035: a pod asks for GPUs in a way that Kubernetes refuses.
#include <algorithm>

#include "base/text.h"
#include "rules/kit/recipe/recipe_gpu.h"

namespace culprit::rules::pod_gpu_request_invalid {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A container asks for nvidia.com/gpu in requests without the same number in limits, or for a part of a GPU.

## Why it breaks
GPUs are whole and cannot be overcommitted: the API server refuses a request without a limit, one that differs from it, and a number that is
not whole ("must be an integer").

## How culprit knows
resources.requests and resources.limits of the container.

## Fix
Write the number of GPUs in limits alone; the request follows from it. Parts of GPUs need MIG or time-slicing and their own resource names.

## When this is not your problem
A scheduler of another vendor gives the number another meaning.

## Sources
Kubernetes documentation, Schedule GPUs; Kubernetes documentation, Managing resources (extended resources).
)md";

bool IsWhole(std::string_view count) {
  return base::IsNumber(count) || base::Contains(count, "$") || base::Contains(count, "{");
}

std::string Mistake(const RecipePart& part, const GpuRequest& request) {
  if (!IsWhole(request.count)) return request.name + ": " + request.count + " is not a whole number of GPUs";
  if (request.way != GpuWay::kRequest) return "";
  const auto limit = std::ranges::find_if(part.gpus, [&](const GpuRequest& other) {
    return other.way == GpuWay::kLimit && other.name == request.name;
  });
  if (limit == part.gpus.end()) return request.name + " is requested without a limit";
  return limit->count == request.count
             ? ""
             : request.name + " is requested " + request.count + " times, and limited to " + limit->count;
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const PartView& view : Started(scene)) {
    for (const GpuRequest& request : view.part->gpus) {
      const bool counted = request.way == GpuWay::kLimit || request.way == GpuWay::kRequest;
      if (!counted || !request.name.starts_with("nvidia.com/")) continue;
      const std::string mistake = Mistake(*view.part, request);
      if (mistake.empty()) continue;
      report::Finding& finding = FireAt(ruling, view.part->name + ": " + mistake, *view.recipe, *view.part,
                                        request.line, {request.name});
      finding.evidence.push_back({request.name + ": " + request.count + " in " +
                                      (request.way == GpuWay::kLimit ? "limits" : "requests"),
                                  PlaceOf(*view.recipe, request.line)});
      finding.fix = {
          .text = "write a whole number in resources.limits alone: limits: {" + request.name + ": 1}",
          .commands = {},
          .risk = report::Risk::kLow};
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL2035",
                           .name = "pod_gpu_request_invalid",
                           .family = Family::kVisibility,
                           .explains = Explains::kNothing,
                           .cause = "container-runtime",
                           .severity = report::Severity::kError,
                           .looks_at = LooksAt::kRecipe,
                           .since = "0.9.0",
                           .title = "a pod asks for GPUs in a way that Kubernetes refuses",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::pod_gpu_request_invalid

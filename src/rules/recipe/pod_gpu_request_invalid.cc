// CUL2035: a pod requests GPUs in a way that Kubernetes rejects.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.h"
#include "rules/kit/recipe/recipe_gpu.h"

namespace culprit::rules::pod_gpu_request_invalid {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A container requests nvidia.com/gpu without the same number in limits, a fraction of a GPU, or a resource name without
a vendor (`gpu`); or it uses a resource claim (DRA) that its pod does not declare.
## Why it breaks
GPUs are whole units and cannot be overcommitted: the API server rejects a request without a limit, a request that
differs from its limit, and a number that is not whole ("must be an integer"). A resource name without a vendor must
be cpu, memory or another standard resource ("must be a standard resource for containers"). 2.0 and 2000m are whole:
both mean 2. The name of a claim must be listed in resourceClaims of the pod.
## How culprit knows
From resources.requests, resources.limits and resources.claims of the container, and resourceClaims of its pod.
## Fix
Set the number of GPUs in limits only; the request follows from it. Fractions of GPUs need MIG or time-slicing, and
their own resource names.
## When this is not your problem
Another vendor's scheduler gives the number another meaning.
## Sources
Kubernetes documentation, Schedule GPUs; Kubernetes documentation, Managing resources (extended resources);
kubernetes/kubernetes@a7264f95: pkg/apis/core/validation/validation.go ("must be an integer"; "must be a standard resource for containers");
kubernetes-client/javascript@8151bff: src/gen/model/v1ResourceClaim.ts (which name a claim must have).
)md";

// A quantity of Kubernetes, "2", "2.0", "2000m", as digits without zeros at their ends, and a power of ten.
struct Amount {
  std::string digits;
  int power = 0;

  bool IsWhole() const { return power >= 0; }
  bool operator==(const Amount&) const = default;
};

// The power of ten that a suffix stands for; nothing for those of two ("Ki") and exponents.
std::optional<int> PowerOf(std::string_view suffix) {
  static constexpr std::array<std::pair<std::string_view, int>, 10> kSuffixes = {{{"", 0},
                                                                                  {"n", -9},
                                                                                  {"u", -6},
                                                                                  {"m", -3},
                                                                                  {"k", 3},
                                                                                  {"M", 6},
                                                                                  {"G", 9},
                                                                                  {"T", 12},
                                                                                  {"P", 15},
                                                                                  {"E", 18}}};
  for (const auto& [name, power] : kSuffixes) {
    if (name == suffix) return power;
  }
  return std::nullopt;
}

std::optional<Amount> ReadAmount(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view number = text.substr(0, end);
  const size_t point = std::min(number.find('.'), number.size());
  const std::string_view fraction = number.substr(std::min(point + 1, number.size()));
  const std::optional<int> power = PowerOf(text.substr(end));
  constexpr size_t kLongest = 64;
  if (number.size() > kLongest || !power || base::Contains(fraction, ".")) return std::nullopt;
  Amount amount{std::string(number.substr(0, point)) + std::string(fraction), *power};
  if (amount.digits.empty()) return std::nullopt;
  amount.power -= static_cast<int>(fraction.size());
  for (; amount.digits.ends_with('0'); amount.digits.pop_back()) ++amount.power;
  amount.digits.erase(0, std::min(amount.digits.find_first_not_of('0'), amount.digits.size()));
  return amount.digits.empty() ? Amount{} : amount;
}

// Left to a template, or in a form that is not read here: "1e3", "1Ki".
bool IsOpen(std::string_view count) {
  const bool number = !count.empty() && base::IsNumber(count.substr(0, 1));
  return base::Contains(count, "$") || base::Contains(count, "{") || (number && !ReadAmount(count));
}

constexpr std::string_view kGpu = "nvidia.com/gpu";

bool LacksVendor(const GpuRequest& request) { return !base::Contains(request.name, "/"); }

std::string Mistake(const RecipePart& part, const GpuRequest& request) {
  if (LacksVendor(request))
    return "Kubernetes has no resource " + request.name + "; for a GPU it is " + std::string(kGpu);
  if (IsOpen(request.count)) return "";
  const std::optional<Amount> amount = ReadAmount(request.count);
  if (!amount || !amount->IsWhole())
    return request.name + ": " + request.count + " is not a whole number of GPUs";
  if (request.way != GpuWay::kRequest) return "";
  const auto limit = std::ranges::find_if(part.gpus, [&](const GpuRequest& other) {
    return other.way == GpuWay::kLimit && other.name == request.name;
  });
  if (limit == part.gpus.end()) return request.name + " is requested without a limit";
  return IsOpen(limit->count) || ReadAmount(limit->count) == amount
             ? ""
             : "the request for " + request.name + " is " + request.count + ", its limit is " + limit->count;
}

// Whether the container names a claim that its pod does not have.
bool IsOfNoPod(const RecipePart& part, const GpuRequest& request) {
  return request.way == GpuWay::kClaim && !request.name.empty() && !part.open && !IsOpen(request.name) &&
         std::ranges::find(request.ids, request.name) == request.ids.end();
}

void FireOnClaim(const PartView& view, const GpuRequest& request, Ruling& ruling) {
  report::Finding& finding =
      FireAt(ruling, view.part->name + " uses the claim " + request.name + ", which its pod does not declare",
             *view.recipe, *view.part, request.line, {request.name});
  std::string claims;
  for (const std::string& name : request.ids) claims += (claims.empty() ? "" : ", ") + name;
  finding.evidence.push_back({"resources.claims: " + request.name, PlaceOf(*view.recipe, request.line)});
  finding.evidence.push_back(
      {"resourceClaims of the pod: " + (claims.empty() ? "none" : claims), view.recipe->path});
  finding.fix = {
      .text = "declare the claim in resourceClaims of the pod too, with its resourceClaimTemplateName",
      .commands = {},
      .risk = report::Risk::kLow};
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const PartView& view : Started(scene)) {
    for (const GpuRequest& request : view.part->gpus) {
      if (IsOfNoPod(*view.part, request)) FireOnClaim(view, request, ruling);
      const bool counted = request.way == GpuWay::kLimit || request.way == GpuWay::kRequest;
      if (!counted || !(LacksVendor(request) || request.name.starts_with("nvidia.com/"))) continue;
      const std::string mistake = Mistake(*view.part, request);
      if (mistake.empty()) continue;
      report::Finding& finding = FireAt(ruling, view.part->name + ": " + mistake, *view.recipe, *view.part,
                                        request.line, {request.name});
      finding.evidence.push_back({request.name + ": " + request.count + " in " +
                                      (request.way == GpuWay::kLimit ? "limits" : "requests"),
                                  PlaceOf(*view.recipe, request.line)});
      const std::string name = LacksVendor(request) ? std::string(kGpu) : request.name;
      finding.fix = {.text = "set a whole number in resources.limits only: limits: {" + name + ": 1}",
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
                           .title = "a pod requests GPUs in a way that Kubernetes rejects",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::pod_gpu_request_invalid

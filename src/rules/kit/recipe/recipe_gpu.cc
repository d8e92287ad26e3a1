#include "rules/kit/recipe/recipe_gpu.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace culprit::rules {
namespace {

constexpr std::array<std::string_view, 2> kVisible = {"NVIDIA_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"};

bool HidesAll(std::string_view value) {
  value = base::Trim(value);
  return value.empty() || value == "void" || value == "none" || value == "-1";
}
bool HidesAll(const PartView::Step* set) {
  return set != nullptr && !(*set)->vague && HidesAll((*set)->words.back());
}

// `nvidia.com/gpu: 0`: it is meant to have none.
bool IsNone(const GpuRequest& request) {
  return (request.way == GpuWay::kLimit || request.way == GpuWay::kRequest) && request.count == "0";
}

// Whether a request gives a GPU whatever else is said.
bool Gives(const GpuRequest& request) {
  switch (request.way) {
    case GpuWay::kRuntime:
      return IsNvidia(request.name);
    case GpuWay::kClass:
    case GpuWay::kNode:
    case GpuWay::kUnknown:
      return false;
    case GpuWay::kLimit:
    case GpuWay::kRequest:
      return !IsNone(request);
    default:
      return true;
  }
}

// Images of CUDA set the variable themselves; one that no row knows, or a file that is not read, may.
bool NamesGpus(const PartView& view) {
  if (const PartView::Step* set = view.Variable("NVIDIA_VISIBLE_DEVICES")) return !HidesAll(set);
  return !view.image_told || view.image.has != knowledge::ImageHas::kNothing || !view.recipe->unread.empty();
}

// The value that Docker gives NVIDIA_DRIVER_CAPABILITIES for a device request: those capabilities that are
// the driver's. "" if it sets none.
std::string SetByDocker(const GpuRequest& request) {
  static constexpr std::array<std::string_view, 6> kOfDriver = {"compute", "compat32", "graphics",
                                                                "utility", "video",    "display"};
  std::string value;
  if (request.way != GpuWay::kDevices || (!request.name.empty() && request.name != "nvidia")) return value;
  for (const std::string& name : request.capabilities) {
    if (std::ranges::find(kOfDriver, name) != kOfDriver.end() || base::Contains(name, "$"))
      value += (value.empty() ? "" : ",") + name;
  }
  return value;
}

bool IsCommand(const RecipeStep& step) {
  return step.kind == StepKind::kStart || step.kind == StepKind::kHealth;
}

// A start that fails, or is meant for nothing, without a GPU.
bool StartsOnGpu(const RecipeStep& step) {
  if (Calls(step, "nvidia-smi")) return true;
  for (size_t i = 0; i < step.words.size(); ++i) {
    const std::string& word = step.words[i];
    if (word == "--tensor-parallel-size" || word.starts_with("--tensor-parallel-size=")) return true;
    const bool device = word.starts_with("--device") || word.starts_with("--accelerator");
    const std::string_view value = word.find('=') != std::string::npos
                                       ? std::string_view(word).substr(word.find('=') + 1)
                                   : i + 1 < step.words.size() ? std::string_view(step.words[i + 1])
                                                               : "";
    if (device && (value.starts_with("cuda") || value == "gpu")) return true;
  }
  return false;
}

}  // namespace

bool IsNvidia(std::string_view name) { return name.starts_with("nvidia"); }

std::vector<report::Evidence> WantsGpu(const PartView& view) {
  std::vector<report::Evidence> why;
  for (const std::string_view name : kVisible) {
    if (HidesAll(view.Variable(name))) return why;  // it is meant to see none
  }
  if (std::ranges::any_of(view.part->gpus, IsNone)) return why;
  for (const std::string_view name : kVisible) {
    const PartView::Step* set = view.Variable(name);
    if (set != nullptr && set->part == view.part && !HidesAll((*set)->words.back()))
      why.push_back(AsEvidence(*set));
  }
  for (const GpuRequest& request : view.part->gpus) {
    if (request.way == GpuWay::kNode)
      why.push_back(
          {"it runs only on nodes with " + request.name + (request.count.empty() ? "" : "=" + request.count),
           PlaceOf(*view.recipe, request.line)});
    if (request.way == GpuWay::kRuntime && IsNvidia(request.name))
      why.push_back({"the runtime is " + request.name, PlaceOf(*view.recipe, request.line)});
  }
  for (const PartView::Step& step : view.steps) {
    if (IsCommand(*step.step) && StartsOnGpu(*step.step)) why.push_back(AsEvidence(step));
  }
  if (view.HasCuda()) why.push_back(ImageEvidence(view));
  return why;
}

bool IsGivenGpu(const RecipePart& part) { return std::ranges::any_of(part.gpus, Gives); }

bool IsGivenGpu(const PartView& view) {
  return std::ranges::any_of(view.part->gpus, [&](const GpuRequest& request) {
    return Gives(request) && (request.way != GpuWay::kRuntime || NamesGpus(view));
  });
}

std::optional<RecipeCapabilities> CapabilitiesOf(const PartView& view) {
  const std::string name = "NVIDIA_DRIVER_CAPABILITIES";
  for (const GpuRequest& request : view.part->gpus) {
    const std::string value = SetByDocker(request);
    if (base::Contains(value, "$")) return std::nullopt;
    if (!value.empty())
      return RecipeCapabilities{.value = value,
                                .recipe = view.recipe,
                                .part = view.part,
                                .line = request.line,
                                .evidence = {"Docker sets " + name + "=" + value + " for this device request",
                                             PlaceOf(*view.recipe, request.line)},
                                .of_request = true};
  }
  const PartView::Step* set = view.Variable(name);
  if (set == nullptr || (*set)->vague || base::Contains((*set)->words.back(), "$")) return std::nullopt;
  return RecipeCapabilities{.value = (*set)->words.back(),
                            .recipe = set->recipe,
                            .part = set->part,
                            .line = (*set)->line,
                            .evidence = AsEvidence(*set)};
}

const PartView::Step* AsksNvml(const PartView& view) {
  const auto asks = std::ranges::find_if(view.steps, [](const PartView::Step& step) {
    const bool counts = step->kind == StepKind::kHealth || (!step->may_fail && !step->conditional);
    return IsCommand(*step.step) && counts && Calls(*step.step, "nvidia-smi");
  });
  return asks == view.steps.end() ? nullptr : &*asks;
}

bool OnlyWatchesGpus(const PartView& view) {
  if (!base::Contains(view.part->name, " of DaemonSet ")) return false;
  const PartView::Step* set = view.Variable("NVIDIA_DRIVER_CAPABILITIES");
  if (set != nullptr && base::Trim((*set)->words.back()) == "utility") return true;
  const std::string& image = view.part->image;
  return base::Contains(image, "dcgm") || base::Contains(image, "device-plugin") ||
         base::Contains(image, "gpu-feature-discovery");
}

const PartView::Step* TakesGpusOfNode(const PartView& view) {
  if (view.recipe->kind != snapshot::RecipeKind::kKubernetes || OnlyWatchesGpus(view)) return nullptr;
  const PartView::Step* set = view.Variable(kVisible.front());
  if (set == nullptr || set->part != view.part || (*set)->vague) return nullptr;
  const std::string_view value = base::Trim((*set)->words.back());
  return value.empty() || value == "void" || value == "none" ? nullptr : set;
}

}  // namespace culprit::rules

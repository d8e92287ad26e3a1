#include "rules/kit/recipe/recipe_gpu.h"

#include <algorithm>

#include "base/text.h"

namespace culprit::rules {
namespace {

bool HidesAll(std::string_view value) {
  value = base::Trim(value);
  return value.empty() || value == "void" || value == "none" || value == "-1";
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
  for (const char* name : {"NVIDIA_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"}) {
    const PartView::Step* set = view.Variable(name);
    if (set != nullptr && set->part == view.part && !HidesAll((*set)->words.back()))
      why.push_back(AsEvidence(*set));
  }
  for (const GpuRequest& request : view.part->gpus) {
    if (request.way == GpuWay::kNode)
      why.push_back({"nodeSelector chooses nodes with " + request.name + "=" + request.count,
                     PlaceOf(*view.recipe, request.line)});
  }
  for (const PartView::Step& step : view.steps) {
    if (step->kind == StepKind::kStart && StartsOnGpu(*step.step)) why.push_back(AsEvidence(step));
  }
  if (view.HasCuda()) why.push_back(ImageEvidence(view));
  return why;
}

bool IsGivenGpu(const RecipePart& part) {
  return std::ranges::any_of(part.gpus, [](const GpuRequest& request) {
    switch (request.way) {
      case GpuWay::kRuntime:
        return IsNvidia(request.name);
      case GpuWay::kClass:
      case GpuWay::kNode:
      case GpuWay::kUnknown:
        return false;
      case GpuWay::kLimit:
      case GpuWay::kRequest:
        return request.count != "0";
      default:
        return true;
    }
  });
}

}  // namespace culprit::rules

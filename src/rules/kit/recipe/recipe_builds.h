// The builds of frameworks that a recipe installs, and the CUDA that it needs because of them or of its
// image.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "knowledge/packages/frameworks.h"
#include "rules/kit/recipe/recipe_facts.h"

namespace culprit::rules {

struct RecipeBuild {
  std::string title;                                 // "torch 2.4.0", "nvidia/cuda:12.4.1-base"
  std::string framework;                             // "" for the image itself
  std::string version{};                             // of the framework, as written
  std::string cuda;                                  // "12.4", "12"; "" if it is not known
  const knowledge::FrameworkRelease* row = nullptr;  // nullptr if no row tells
  std::string compat;  // the CUDA of the cuda-compat in the image; "" if none serves it
  report::Evidence evidence;
  const Recipe* recipe = nullptr;
  const RecipePart* part = nullptr;
  uint64_t line = 0;
};
// What is in it in the end: the image's CUDA, its framework unless another is installed over it, and what
// pip, conda and the system's packages bring. Nothing of a view that is open.
std::vector<RecipeBuild> BuildsOf(const PartView& view);

// Frameworks and parts of CUDA that are installed so that nobody can tell which CUDA they bring: without a
// version, in one that no row knows, or under a condition.
std::vector<RecipeInstall> OpenInstallsOf(const PartView& view);

// COPY --from another stage that may bring a framework: that stage has one, and nobody can tell whether it is
// in what is copied.
std::vector<PartView::Step> DoubtfulCopiesOf(const PartView& view);

// NVIDIA_REQUIRE_CUDA of what is started.
struct RecipeRequirement {
  std::string expression;  // "" if no row knows that of the image
  report::Evidence evidence;
  const Recipe* recipe = nullptr;
  const RecipePart* part = nullptr;
  uint64_t line = 0;
  std::string image{};
  std::optional<report::Evidence> source{};  // where its image's is known from
};
std::vector<RecipeRequirement> RequirementsOfRecipes(const Scene& scene);

}  // namespace culprit::rules

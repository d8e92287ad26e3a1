// Which CUDA a package brings or was built for, by its name, version and build alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rules/kit/recipe/recipe_facts.h"

namespace culprit::rules {

// "cu118" -> "11.8", "cu12" and "cuda12x" -> "12"; "" if it is none.
std::string CudaOfVariant(std::string_view variant);

// A package of pip as a framework and its variant: "cupy-cuda12x" -> "cupy", "cuda12x"; "jax[cuda12]" ->
// "jax", "cuda12".
struct FrameworkPackage {
  std::string framework;  // as the table of frameworks has it; "" if it is none
  std::string variant;    // "" if neither its name nor its extra says
};
FrameworkPackage FrameworkOfPackage(const RecipeInstall& install);

// A package that is a part of CUDA itself: nvidia-cuda-runtime-cu12, pytorch-cuda=12.1, cuda-runtime-12-4.
// "" if it does not say which release; none if it is another package.
std::optional<std::string> CudaOfPackage(const RecipeInstall& install);

// "12.4" of cuda-compat-12-4, which lets older drivers of data-centre GPUs run it; "" of others.
std::string CompatOfPackage(const RecipeInstall& install);

// Whether conda installs a framework that comes with CUDA or without.
bool IsFrameworkOfConda(const RecipeInstall& install);

// The version of torch that a package of pip requires: "2.4.0"; "" if it takes any; none if it needs no
// torch.
std::optional<std::string> TorchOfPackage(const RecipeInstall& install);

}  // namespace culprit::rules

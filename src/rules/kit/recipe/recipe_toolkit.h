// Where nvcc and the libraries of CUDA in an image come from: the base image, or what its steps bring.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rules/kit/recipe/recipe_builds.h"

namespace culprit::rules {

// Whether a step may bring an nvcc that the base image does not have.
bool BringsNvcc(const PartView& view);
// Whether libraries of CUDA may come from somewhere else than the base image: packages, other stages, files
// that are not read.
bool BringsCudaLibraries(const PartView& view);

// A framework that takes CUDA and cuDNN from the image, and a base image whose CUDA is known.
struct FrameworkOnImage {
  RecipeBuild build;
  PartView view;
};
// Of all that is started. Nothing where the libraries may come from somewhere else.
std::vector<FrameworkOnImage> FrameworksOnImages(const Scene& scene);

}  // namespace culprit::rules

// Which step of an image's build brought a finding: the layer of a file, or the instruction that set a
// variable.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "image/image.h"
#include "report/finding.h"

namespace culprit::cli {

// The layer with this number, 0 is the base; nullopt for -1.
std::optional<report::Layer> LayerAt(const image::Image& image, int number);

// The last step among those that brought a file that shows it, removed what is missing, or set a variable
// that shows it; nullopt: it cannot be told. `environment` is the one that was checked: a variable whose
// value is not the image's was not set by a step.
std::optional<report::Layer> LayerOf(const image::Image& image,
                                     const std::map<std::string, std::string>& environment,
                                     const report::Finding& finding);

}  // namespace culprit::cli

// Any bytes as a Dockerfile, compose file or manifest: the first one chooses the kind. An error can be shown,
// and what comes out is no larger than a file may make it.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/text.h"
#include "collect/recipe/recipe.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto recipe = culprit::collect::ParseRecipe(bytes, data[0] == 'y' ? "a.yaml" : "Dockerfile");
  if (!recipe) {
    Require(culprit::base::Printable(recipe.error().message) == recipe.error().message);
    return 0;
  }
  Require(recipe->parts.size() <= 1000);
  for (const auto& part : recipe->parts) {
    Require(part.from <= recipe->parts.size());
    for (const auto& step : part.steps) Require(!step.words.empty());
  }
  return 0;
}

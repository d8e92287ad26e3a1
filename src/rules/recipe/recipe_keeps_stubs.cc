// CUL5051: a Dockerfile leaves the CUDA stubs on LD_LIBRARY_PATH.
#include "base/text.h"
#include "rules/kit/recipe/recipe_facts.h"

namespace culprit::rules::recipe_keeps_stubs {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The image's LD_LIBRARY_PATH contains the stubs directory of a toolkit.
## Why it breaks
The stubs satisfy the linker on machines without a driver. At run time a program that loads libcuda.so or libnvidia-ml.so gets the stub: "CUDA driver
is a stub library" (34), "no CUDA-capable device".

## How culprit knows
From the value of ENV in the last stage, and in what it builds on.
## Fix
Set LIBRARY_PATH, which only the linker reads, or set LD_LIBRARY_PATH for that one RUN only.
## When this is not your problem
It is set only in an earlier stage: then it is not part of the image.
## Sources
The text inside the stubs of CUDA 13.0; NVIDIA/nvidia-docker wiki, Frequently Asked Questions (link with the stubs, never have them on
LD_LIBRARY_PATH).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const PartView& view : Started(scene)) {
    const PartView::Step* set = view.Variable("LD_LIBRARY_PATH");
    if (set == nullptr) continue;
    for (const std::string& element : base::SplitWords((*set)->words.back(), ":")) {
      if (base::BaseName(base::CleanPath(element)) != "stubs") continue;
      report::Finding& finding =
          FireAt(ruling, "LD_LIBRARY_PATH of " + view.part->name + " contains the stubs directory " + element,
                 *set->recipe, *set->part, (*set)->line);
      finding.evidence.push_back(AsEvidence(*set));
      finding.fix = {.text =
                         "set LIBRARY_PATH instead of LD_LIBRARY_PATH, or set LD_LIBRARY_PATH only in the "
                         "RUN that needs it",
                     .commands = {},
                     .risk = report::Risk::kLow};
      break;
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5051",
                           .name = "recipe_keeps_stubs",
                           .family = Family::kLoading,
                           .explains = Explains::kNothing,
                           .cause = "search-path",
                           .severity = report::Severity::kWarning,
                           .looks_at = LooksAt::kRecipe,
                           .since = "0.9.0",
                           .title = "a Dockerfile leaves the CUDA stubs on LD_LIBRARY_PATH",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::recipe_keeps_stubs

// CUL3031: a Dockerfile replaces the cuDNN that its base image pins.
#include "rules/kit/recipe/recipe_facts.h"

namespace culprit::rules::cudnn_moved_in_image {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The base image has a cuDNN of a known major version, and a later command installs a different one, or whichever is
newest.
## Why it breaks
The image's programs and frameworks were built for the cuDNN in it. NVIDIA's images hold the package for that reason
(apt-mark hold). Without a version, apt installs whatever is newest that day, so tomorrow's image gets a different
cuDNN than today's.
## How culprit knows
From the base image's tag and from what apt installs: another libcudnn, one without a version, or one with
--allow-change-held-packages.
## Fix
Use a base image that has the cuDNN you need, or pin the package: libcudnn9-cuda-12=9.1.0.70-1.
## When this is not your problem
Nothing in the image uses the base image's cuDNN: the PyTorch and JAX wheels bring their own.
## Sources
gitlab.com/nvidia/container-images/cuda, as in taehun-kmu/FMCL-Docker@31bd822f: dist/12.4.1/ubuntu2204/runtime/cudnn/Dockerfile
(the version of the package, apt-mark hold); NVIDIA cuDNN documentation, Installing cuDNN Backend on Linux (apt takes it from NVIDIA's repository).
)md";

// "libcudnn8-dev" -> "8"; "" if it is none.
std::string MajorOf(const std::string& package) {
  if (!package.starts_with("libcudnn") || package.size() < 9) return "";
  return package.substr(8, package.find_first_not_of("0123456789", 8) - 8);
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const PartView& view : AllParts(scene)) {
    if (view.recipe->kind != snapshot::RecipeKind::kDockerfile || view.part->passing ||
        view.image.cudnn.empty())
      continue;
    const std::string own = view.image.cudnn.substr(0, view.image.cudnn.find('.'));
    for (const RecipeInstall& install : InstallsOf(view)) {
      const std::string major = install.manager == Manager::kApt ? MajorOf(install.name) : "";
      if (major.empty() || install.step.recipe != view.recipe) continue;
      const bool other = major != own, floating = install.version.empty();
      if (!other && !floating && !install.held_too) continue;
      report::Finding& finding =
          FireAt(ruling,
                 other ? install.name + " is installed, but " + view.base->image + " has cuDNN " + own
                       : install.name +
                             (floating ? " without a version replaces the cuDNN of "
                                       : " replaces the held cuDNN of ") +
                             view.base->image,
                 *install.step.recipe, *install.step.part, install.step->line, {install.name});
      finding.evidence = {ImageEvidence(view), AsEvidence(install.step)};
      finding.fix = {
          .text =
              "leave it out and use a base image that has the cuDNN you need, or pin the package's version",
          .commands = {},
          .risk = report::Risk::kLow};
      if (!other && !install.held_too)
        finding.severity = report::Severity::kNote;  // the package is on hold there
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL3031",
                           .name = "cudnn_moved_in_image",
                           .family = Family::kCudnn,
                           .explains = Explains::kNothing,
                           .cause = "cudnn-version-mismatch",
                           .severity = report::Severity::kWarning,
                           .looks_at = LooksAt::kRecipe,
                           .since = "0.9.0",
                           .title = "a Dockerfile replaces the cuDNN that its base image pins",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cudnn_moved_in_image

// Questions that the rules about recipes share: what a part is built on, what it does in order, what it sets.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/packages/images.h"
#include "rules/rule.h"
#include "snapshot/stack_recipe.h"

namespace culprit::rules {

using snapshot::Recipe;
using snapshot::RecipePart;
using snapshot::RecipeStep;
using snapshot::StepKind;

// A part, and what it is made of: the stages and Dockerfiles below it.
struct PartView {
  struct Step {
    const Recipe* recipe = nullptr;
    const RecipePart* part = nullptr;
    const RecipeStep* step = nullptr;
    const RecipeStep* operator->() const { return step; }
  };
  // What a COPY --from brings along that another stage has installed.
  struct Brought {
    Step copy{};
    std::vector<Step> steps{};  // RUN and ENV of that stage and those below it
    bool sure = false;          // it copies the environment of Python that they install into; else it may
    bool framework = false;     // the image of that stage has a framework in it
  };
  const Recipe* recipe = nullptr;
  const RecipePart* part = nullptr;
  const Recipe* base_recipe = nullptr;
  const RecipePart* base = nullptr;  // the lowest, which names an image; nullptr below too many others
  knowledge::ImageFacts image;       // that it is built on
  bool image_told = false;           // there is a name, and no variable is left in it
  bool open = false;                 // what it is built from stands elsewhere, or build arguments change it
  std::vector<Step>
      steps;  // of all, the lowest first; a start, and a check of its health, replaces those below it
  std::vector<Brought> brought;
  std::vector<Step> linked;  // copies of what may be programs, from stages on an image with CUDA

  // The last step that sets a variable; nullptr if none does.
  const Step* Variable(std::string_view name) const;
  bool HasCuda() const {
    return image.has == knowledge::ImageHas::kCuda || image.has == knowledge::ImageHas::kGpu;
  }
};
// What is started in the end: services, containers, the last stage of each Dockerfile that no service is
// built from.
std::vector<PartView> Started(const Scene& scene);
// Every stage too.
std::vector<PartView> AllParts(const Scene& scene);

// "compose.yaml:12"
std::string PlaceOf(const Recipe& recipe, uint64_t line);
// A finding about a line of a recipe; `part` tells it from others there.
report::Finding& FireAt(Ruling& ruling, std::string summary, const Recipe& recipe, const RecipePart& part,
                        uint64_t line, std::vector<std::string> about = {});
// "RUN pip install torch", "LD_LIBRARY_PATH=/x": a step in words, as evidence.
report::Evidence AsEvidence(const PartView::Step& step);
report::Evidence ImageEvidence(const PartView& view);

// Whether a command calls the program: "nvcc", "/usr/local/cuda/bin/nvcc".
bool Calls(const RecipeStep& step, std::string_view program);
bool HasWord(const RecipeStep& step, std::string_view word);

// What a command installs. kApt: any manager of the system's packages, dnf and zypper too.
enum class Manager { kPip, kApt, kConda };
struct RecipeInstall {
  Manager manager;
  std::string name{};     // normalised, without extras
  std::string version{};  // "2.4.0" of "==2.4.0"; "" if it is not pinned to one
  std::string variant{};  // "cu121", "cpu": of the local version, or of the index that it is taken from;
                          // conda: the build
  std::string extra{};    // "cuda12" of "jax[cuda12]"
  std::string text{};     // as written
  PartView::Step step{};
  bool vague = false;     // a variable, or the machine that builds it, decides which one it is
  bool upgrades = false;  // pip: also what is there already
  bool held_too = false;  // apt: also packages that are on hold
  bool alone = false;     // pip: without what it requires
};
std::vector<RecipeInstall> InstallsIn(std::span<const PartView::Step> steps);
// With what is copied from other stages of their environments of Python.
std::vector<RecipeInstall> InstallsOf(const PartView& view);
// Commands that install what stands in a file, which is not read: pip install -r, uv sync, conda env create.
std::vector<PartView::Step> UnreadInstallsIn(std::span<const PartView::Step> steps);
std::vector<PartView::Step> UnreadInstallsOf(const PartView& view);
// Commands that start a script, which is not read: ./install.sh, curl ... | bash.
std::vector<PartView::Step> ScriptsOf(const PartView& view);

}  // namespace culprit::rules

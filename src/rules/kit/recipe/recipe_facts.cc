#include "rules/kit/recipe/recipe_facts.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "rules/kit/recipe/copied.h"

namespace culprit::rules {
namespace {

constexpr size_t kDeepest = 256;  // more than a Dockerfile may have stages

// Names of stages: letters count as the same in either case.
bool SameStage(std::string_view one, std::string_view other) {
  return std::ranges::equal(
      one, other, [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
}

const Recipe* FindRecipe(const Scene& scene, const std::string& path) {
  for (const Recipe& recipe : *scene.stack().recipes) {
    if (recipe.path == path) return &recipe;
  }
  return nullptr;
}

// The stage that is built: the one that is named, else the last.
const RecipePart& BuiltStage(const Recipe& recipe, const std::string& target) {
  const auto named = std::ranges::find_if(
      recipe.parts, [&](const RecipePart& part) { return !target.empty() && SameStage(part.as, target); });
  return named == recipe.parts.end() ? recipe.parts.back() : *named;
}

// Adds what is below first.
void Descend(const Scene& scene, const Recipe& recipe, const RecipePart& part, size_t depth, PartView& view) {
  if (depth > kDeepest) return;
  const Recipe* built = part.build.empty() ? nullptr : FindRecipe(scene, part.build);
  if (part.from != 0 && part.from <= recipe.parts.size()) {
    Descend(scene, recipe, recipe.parts[part.from - 1], depth + 1, view);
  } else if (built != nullptr && built != &recipe && !built->parts.empty()) {
    Descend(scene, *built, BuiltStage(*built, part.target), depth + 1, view);
  } else {
    view.base_recipe = &recipe;
    view.base = &part;
    view.image_told = !part.image.empty() && !part.vague && part.build.empty();
    if (view.image_told) view.image = knowledge::FactsOfImage(part.image);
  }
  view.open |= part.open && (part.image.empty() || !part.build.empty());
  for (const StepKind kind : {StepKind::kStart, StepKind::kHealth}) {
    if (std::ranges::find(part.steps, kind, &RecipeStep::kind) != part.steps.end())
      std::erase_if(view.steps, [&](const PartView::Step& below) { return below->kind == kind; });
  }
  for (const RecipeStep& step : part.steps) view.steps.push_back({&recipe, &part, &step});
}

constexpr int kDeepestCopy = 2;      // a stage that copies from one that copies
constexpr size_t kMostBrought = 16;  // of one view; what is copied beyond may be anything

PartView ViewOf(const Scene& scene, const Recipe& recipe, const RecipePart& part, int copies = 0) {
  PartView view{.recipe = &recipe, .part = &part};
  Descend(scene, recipe, part, 0, view);
  if (copies == kDeepestCopy) return view;
  for (const PartView::Step& step : view.steps) {
    const uint64_t from = step->kind == StepKind::kCopy ? step->from : 0;
    if (from == 0 || from > step.recipe->parts.size()) continue;
    const bool files = AreFiles(*step.step), program = MayBeProgram(*step.step);
    if (files && !program) continue;
    if (view.brought.size() >= kMostBrought) {
      view.brought.push_back({.copy = step, .framework = true});
      break;
    }
    PartView stage = ViewOf(scene, *step.recipe, step.recipe->parts[from - 1], copies + 1);
    if (program && stage.HasCuda()) view.linked.push_back(step);
    if (files) continue;
    for (PartView::Brought& inner : stage.brought) view.brought.push_back(std::move(inner));
    std::erase_if(stage.steps, [](const PartView::Step& one) {
      return one->kind != StepKind::kRun && one->kind != StepKind::kSet;
    });
    view.brought.push_back({.copy = step,
                            .steps = std::move(stage.steps),
                            .sure = false,
                            .framework = !stage.image.framework.empty()});
    view.brought.back().sure = CopiesEnvironment(*step.step, view.brought.back().steps);
  }
  return view;
}

bool IsBuiltFrom(const Scene& scene, const Recipe& recipe) {
  return std::ranges::any_of(*scene.stack().recipes, [&](const Recipe& other) {
    return std::ranges::any_of(other.parts,
                               [&](const RecipePart& part) { return part.build == recipe.path; });
  });
}

}  // namespace

const PartView::Step* PartView::Variable(std::string_view name) const {
  const Step* found = nullptr;
  for (const Step& step : steps) {
    if (step->kind == StepKind::kSet && step->words.front() == name) found = &step;
  }
  return found;
}

std::vector<PartView> AllParts(const Scene& scene) {
  std::vector<PartView> views;
  for (const Recipe& recipe : *scene.stack().recipes) {
    for (const RecipePart& part : recipe.parts) views.push_back(ViewOf(scene, recipe, part));
  }
  return views;
}

std::vector<PartView> Started(const Scene& scene) {
  std::vector<PartView> views = AllParts(scene);
  std::erase_if(views,
                [&](const PartView& view) { return view.part->passing || IsBuiltFrom(scene, *view.recipe); });
  return views;
}

std::string PlaceOf(const Recipe& recipe, uint64_t line) {
  return recipe.path + (line == 0 ? "" : ":" + std::to_string(line));
}

report::Finding& FireAt(Ruling& ruling, std::string summary, const Recipe& recipe, const RecipePart& part,
                        uint64_t line, std::vector<std::string> about) {
  about.insert(about.begin(), {part.name, std::to_string(line)});
  report::Finding& finding = ruling.Fire(std::move(summary), recipe.path, std::move(about));
  finding.affects.push_back(part.name);
  finding.place = report::Origin{recipe.path, static_cast<size_t>(line)};
  return finding;
}

report::Evidence AsEvidence(const PartView::Step& step) {
  constexpr size_t kLongest = 200;
  std::string text;
  for (const std::string& word : step->words) {
    if (text.size() > kLongest) break;
    text += (text.empty() ? "" : " ") + word;
  }
  switch (step->kind) {
    case StepKind::kRun:
      text = "RUN " + text;
      break;
    case StepKind::kSet:
      text = step->words.front() + "=" + step->words.back();
      break;
    case StepKind::kCopy:
      text = "COPY " + text;
      break;
    case StepKind::kStart:
      text = "it starts " + text;
      break;
    case StepKind::kHealth:
      text = "its health check runs " + text;
      break;
    case StepKind::kMount:
      text = "the host's " + step->words.front() + " is mounted as " + step->words.back();
      break;
    case StepKind::kDevice:
      text = "the device " + text;
      break;
    case StepKind::kUnknown:
      break;
  }
  if (text.size() > kLongest) text = text.substr(0, kLongest) + " ...";
  return {text, PlaceOf(*step.recipe, step->line)};
}

report::Evidence ImageEvidence(const PartView& view) {
  if (view.base == nullptr) return {};
  return {"the image is " + view.base->image, PlaceOf(*view.base_recipe, view.base->line)};
}

bool Calls(const RecipeStep& step, std::string_view program) {
  return !step.words.empty() && base::BaseName(step.words.front()) == program;
}

bool HasWord(const RecipeStep& step, std::string_view word) {
  return std::ranges::find(step.words, word) != step.words.end();
}

}  // namespace culprit::rules

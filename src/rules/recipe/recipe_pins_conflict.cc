// CUL6031: packages that a Dockerfile pins conflict with each other.
#include <set>

#include "knowledge/packages/frameworks.h"
#include "knowledge/packages/pins.h"
#include "rules/kit/recipe/recipe_facts.h"

namespace culprit::rules::recipe_pins_conflict {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
Two package versions that the Dockerfile installs do not satisfy each other's requirements.
## Why it breaks
In one `pip install` the resolver refuses them ("ResolutionImpossible"). In two, the second replaces what the first
installed, with a warning that nobody reads: torchvision without its operators, a cuDNN that torch was not built with.
## How culprit knows
From the versions in the pip commands, in their order, the base image's torch, and what each release requires
(data/harvested.toml).
## Fix
Install compatible versions in one command: `culprit plan torch==VERSION torchvision` names them.
## When this is not your problem
A requirements file that culprit does not see changes one of them later.
## Sources
The METADATA of the wheels on the package index.
)md";

struct Pinned {
  std::string name, version;
  report::Evidence evidence;
  PartView::Step step;
};

// Every package that a row asks for something, or that is asked for.
const std::set<std::string_view>& NamesInTables() {
  static const std::set<std::string_view> kNames = [] {
    std::set<std::string_view> names;
    for (const knowledge::Pin& pin : knowledge::Pins()) {
      names.insert(pin.package);
      for (const std::string_view need : pin.needs)
        names.insert(need.substr(0, need.find_first_of("[=<>!~; (")));
    }
    for (const knowledge::Companion& row : knowledge::Companions()) names.insert({row.package, row.of});
    return names;
  }();
  return kNames;
}

constexpr size_t kMostPins = 200;  // each is compared with each

// The versions that the image has in the end, of packages that the tables know.
std::vector<Pinned> PinsOf(const PartView& view) {
  std::vector<Pinned> pins;
  if (view.image.framework == "torch" && !view.image.framework_version.empty())
    pins.push_back({"torch", view.image.framework_version, ImageEvidence(view), {}});
  for (const RecipeInstall& install : InstallsOf(view)) {
    if (install.manager != Manager::kPip || !NamesInTables().contains(install.name)) continue;
    if (install.version.empty() && !install.upgrades)
      continue;  // what is there already satisfies a name alone
    std::erase_if(pins, [&](const Pinned& pin) { return pin.name == install.name; });
    const bool sure = !install.version.empty() && !install.step->conditional;
    if (sure && pins.size() < kMostPins)
      pins.push_back({install.name, install.version, AsEvidence(install.step), install.step});
  }
  return pins;
}

void Compare(const PartView& view, const Pinned& one, const Pinned& other, Ruling& ruling) {
  const auto fit = knowledge::PackagesFit(one.name, one.version, other.name, other.version);
  if (fit.verdict != knowledge::Verdict::kNo) return;
  const Pinned& at = other.step.step != nullptr ? other : one;
  if (at.step.recipe != view.recipe) return;
  const std::string first = one.name + " " + one.version, second = other.name + " " + other.version;
  report::Finding& finding = FireAt(ruling, first + " conflicts with " + second, *at.step.recipe,
                                    *at.step.part, at.step->line, {one.name, other.name});
  finding.evidence = {one.evidence, other.evidence, {fit.why, std::string(fit.source)}};
  finding.fix = {
      .text = "install compatible versions, in one command",
      .commands = {"culprit plan " + Plain(one.name) + "==" + Plain(one.version) + " " + Plain(other.name)},
      .risk = report::Risk::kLow};
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const PartView& view : AllParts(scene)) {
    if (view.recipe->kind != snapshot::RecipeKind::kDockerfile || view.part->passing) continue;
    const std::vector<Pinned> pins = PinsOf(view);
    for (size_t i = 0; i < pins.size(); ++i) {
      for (size_t k = i + 1; k < pins.size(); ++k) Compare(view, pins[i], pins[k], ruling);
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL6031",
                           .name = "recipe_pins_conflict",
                           .family = Family::kPython,
                           .explains = Explains::kNothing,
                           .cause = "framework-version-conflict",
                           .severity = report::Severity::kError,
                           .looks_at = LooksAt::kRecipe,
                           .since = "0.9.0",
                           .title = "packages that a Dockerfile pins conflict with each other",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::recipe_pins_conflict

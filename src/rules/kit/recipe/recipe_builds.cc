#include "rules/kit/recipe/recipe_builds.h"

#include <algorithm>

#include "base/text.h"
#include "base/version.h"
#include "knowledge/packages/requirement.h"

namespace culprit::rules {
namespace {

// The build of a release; the default one without a variant.
const knowledge::FrameworkRelease* RowOf(std::string_view framework, const std::string& version,
                                         std::string_view variant) {
  const auto parsed = base::Version::Parse(version);
  const std::string_view name = knowledge::FrameworkName(framework);
  if (!parsed || name.empty()) return nullptr;
  const auto rows = knowledge::FindFramework(name, *parsed, variant);
  if (rows.empty()) return nullptr;
  if (!variant.empty()) return rows.front();
  const auto usual = std::ranges::find_if(rows, &knowledge::FrameworkRelease::is_default);
  return usual == rows.end() ? nullptr : *usual;
}

// "12.4" -> "cu124"
std::string VariantFor(const std::string& cuda) {
  const auto version = base::Version::Parse(cuda);
  return version ? "cu" + std::to_string(version->part(0)) + std::to_string(version->part(1)) : "";
}

RecipeBuild OfImage(const PartView& view) {
  return {.title = view.base->image,
          .cuda = view.image.cuda,
          .compat = view.image.compat ? view.image.cuda : "",
          .evidence = ImageEvidence(view),
          .recipe = view.base_recipe,
          .part = view.base,
          .line = view.base->line};
}

// Whether pip finds the framework there already; a base image that nobody knows may have it.
bool MayBeThere(const PartView& view, const std::vector<RecipeBuild>& builds, const std::string& framework) {
  return view.image.has == knowledge::ImageHas::kUnknown || view.image.framework == framework ||
         std::ranges::find(builds, framework, &RecipeBuild::framework) != builds.end();
}

// "cu118" -> "11.8"; "" if it is none.
std::string CudaOfVariant(const std::string& variant) {
  if (!variant.starts_with("cu") || variant.size() < 4 || !base::IsNumber(variant.substr(2))) return "";
  return variant.substr(2, variant.size() - 3) + "." + variant.back();
}

RecipeBuild OfInstall(const RecipeInstall& install) {
  return {
      .title = install.name + (install.version.empty() ? " of " + install.variant : " " + install.version),
      .framework = install.name,
      .cuda = install.version.empty() ? CudaOfVariant(install.variant) : "",
      .row = install.version.empty() ? nullptr : RowOf(install.name, install.version, install.variant),
      .evidence = AsEvidence(install.step),
      .recipe = install.step.recipe,
      .part = install.step.part,
      .line = install.step->line};
}

// Installs of frameworks in their order, with what is there by then.
struct Installed {
  std::vector<RecipeBuild> builds;
  std::vector<RecipeInstall> open;
};

void Add(const PartView& view, const RecipeInstall& install, Installed& all) {
  if (install.version.empty() && !install.upgrades && MayBeThere(view, all.builds, install.name))
    return;  // what is there already satisfies a name alone
  std::erase_if(all.builds, [&](const RecipeBuild& build) { return build.framework == install.name; });
  std::erase_if(all.open, [&](const RecipeInstall& other) { return other.name == install.name; });
  if (install.variant == "cpu") return;
  RecipeBuild build = OfInstall(install);
  if (build.row != nullptr) build.cuda = build.row->cuda;
  if (build.row == nullptr && build.cuda.empty()) {
    if (install.version.empty()) all.open.push_back(install);
    return;
  }
  const auto own = base::Version::Parse(build.cuda), image = base::Version::Parse(view.image.cuda);
  if (view.image.compat && own && image && *own <= *image) build.compat = view.image.cuda;
  all.builds.push_back(std::move(build));
}

Installed InstalledIn(const PartView& view) {
  Installed all;
  if (!view.image.cuda.empty()) all.builds.push_back(OfImage(view));
  if (!view.image.framework_version.empty() && !view.image.cuda.empty()) {
    RecipeBuild build = OfImage(view);
    build.framework = view.image.framework;
    build.title = build.framework + " " + view.image.framework_version;
    build.row = RowOf(build.framework, view.image.framework_version, VariantFor(view.image.cuda));
    all.builds.push_back(std::move(build));
  }
  for (const RecipeInstall& install : InstallsOf(view)) {
    if (install.manager == Manager::kPip && !knowledge::FrameworkName(install.name).empty())
      Add(view, install, all);
  }
  return all;
}

}  // namespace

std::vector<RecipeBuild> BuildsOf(const PartView& view) { return InstalledIn(view).builds; }

std::vector<RecipeInstall> OpenInstallsOf(const PartView& view) { return InstalledIn(view).open; }

std::vector<RecipeRequirement> RequirementsOfRecipes(const Scene& scene) {
  std::vector<RecipeRequirement> all;
  for (const PartView& view : Started(scene)) {
    const PartView::Step* off = view.Variable("NVIDIA_DISABLE_REQUIRE");
    if (off != nullptr && ((*off)->vague || knowledge::IsTrueForToolkit((*off)->words.back()))) continue;
    const PartView::Step* set = view.Variable("NVIDIA_REQUIRE_CUDA");
    if (set != nullptr && !(*set)->vague) {
      all.push_back(
          {(*set)->words.back(), AsEvidence(*set), set->recipe, set->part, (*set)->line, view.base->image});
    } else if (set == nullptr && view.image.of_nvidia_cuda && !view.image.cuda.empty()) {
      RecipeRequirement required{"",        ImageEvidence(view), view.base_recipe,
                                 view.base, view.base->line,     view.base->image};
      if (const auto* row = view.image.requirement) {
        required.expression = knowledge::RequirementText(*row);
        required.source = {
            "NVIDIA_REQUIRE_CUDA in images of CUDA " + std::string(row->cuda) + " lists what is below",
            std::string(row->source)};
      }
      all.push_back(std::move(required));
    }
  }
  return all;
}

}  // namespace culprit::rules

#include "rules/kit/recipe/recipe_builds.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "base/version.h"
#include "knowledge/packages/requirement.h"
#include "rules/kit/recipe/package_cuda.h"

namespace culprit::rules {
namespace {

// The build of a release; the default one without a variant. `package`: "tensorflow[and-cuda]".
const knowledge::FrameworkRelease* RowOf(std::string_view framework, const std::string& version,
                                         std::string_view variant, std::string_view package = "") {
  const auto parsed = base::Version::Parse(version);
  const std::string_view name = knowledge::FrameworkName(framework);
  if (!parsed || name.empty()) return nullptr;
  const auto rows = knowledge::FindFramework(name, *parsed, variant);
  if (rows.empty()) return nullptr;
  const auto asked = std::ranges::find(rows, package, &knowledge::FrameworkRelease::extra);
  if (!package.empty() && asked != rows.end()) return *asked;
  if (!variant.empty() || (rows.size() == 1 && rows.front()->variant.empty())) return rows.front();
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
          .version = view.image.framework_version,
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

// Packages that are made for the CPU; the one for GPUs has another name.
bool IsCpuPackage(std::string_view name) {
  return name == "onnxruntime" || name == "paddlepaddle" || name == "mxnet";
}

// Builds for the CPU, or for GPUs of others.
bool IsWithoutCuda(std::string_view variant) {
  return variant == "cpu" || variant == "xpu" || variant.starts_with("rocm");
}

// Whether the release is known to take the CUDA that it finds, and to run on the CPU without one.
bool TakesWhatIsThere(const PartView& view, const RecipeInstall& install, const FrameworkPackage& package) {
  const auto version = base::Version::Parse(install.version);
  if (!version || !package.variant.empty() || !install.extra.empty()) return false;
  if (package.framework == "torch" || package.framework == "tensorrt") return false;
  if (install.name.ends_with("-gpu") && view.image.cuda.empty()) return false;
  return !knowledge::FindFramework(package.framework, *version, "").empty();
}

// A framework as pip knows it: "onnxruntime-gpu"; "cupy" of "cupy-cuda12x".
std::string PipNameOf(const RecipeInstall& install, const FrameworkPackage& package) {
  return knowledge::FrameworkName(install.name).empty() ? package.framework : install.name;
}

RecipeBuild OfInstall(const RecipeInstall& install, const FrameworkPackage& package) {
  const std::string full = install.extra.empty() ? "" : install.name + "[" + install.extra + "]";
  RecipeBuild build{.title = install.name +
                             (install.version.empty() ? " (" + package.variant + ")" : " " + install.version),
                    .framework = PipNameOf(install, package),
                    .version = install.version,
                    .cuda = CudaOfVariant(package.variant),
                    .row = RowOf(package.framework, install.version, package.variant, full),
                    .evidence = AsEvidence(install.step),
                    .recipe = install.step.recipe,
                    .part = install.step.part,
                    .line = install.step->line};
  if (build.row != nullptr && !build.row->cuda.empty()) build.cuda = build.row->cuda;
  return build;
}

constexpr size_t kMostBuilds = 500;  // of one image; nobody installs more

// What is installed, one after another.
class Installed {
 public:
  explicit Installed(const PartView& view) : view_(view), compat_(view.image.compat ? view.image.cuda : "") {}

  void AddImage() {
    if (view_.image.cuda.empty() || view_.base == nullptr) return;
    builds.push_back(OfImage(view_));
    if (view_.image.framework_version.empty()) return;
    RecipeBuild build = OfImage(view_);
    build.framework = view_.image.framework;
    build.title = build.framework + " " + view_.image.framework_version;
    build.row = RowOf(build.framework, view_.image.framework_version, VariantFor(view_.image.cuda));
    builds.push_back(std::move(build));
  }

  bool IsFull() const { return builds.size() + open.size() >= kMostBuilds; }

  void AddFramework(const RecipeInstall& install, const FrameworkPackage& package) {
    if (package.variant.empty() && IsCpuPackage(install.name)) return;
    const std::string name = PipNameOf(install, package);
    if (install.version.empty() && !install.upgrades &&
        (there_.contains(name) || MayBeThere(view_, builds, name)))
      return;  // what is there already satisfies a name alone
    const auto there = std::ranges::find(builds, name, &RecipeBuild::framework);
    if (there != builds.end() && there->version == install.version && !install.upgrades &&
        package.variant.empty())
      return;  // and the same version, whatever its variant
    std::erase_if(builds, [&](const RecipeBuild& build) { return build.framework == name; });
    std::erase_if(open, [&](const RecipeInstall& other) { return other.name == install.name; });
    if (install.step->conditional || install.vague) return open.push_back(install);
    there_.insert(name);
    if (IsWithoutCuda(package.variant)) return;
    RecipeBuild build = OfInstall(install, package);
    if (!build.cuda.empty()) return Add(std::move(build));
    if (!TakesWhatIsThere(view_, install, package)) open.push_back(install);
  }

  // One that somebody else has installed.
  void NoteThere(const std::string& framework) { there_.insert(framework); }

  void SetCompat(std::string cuda) { compat_ = std::move(cuda); }

  // A part of CUDA itself.
  void AddCuda(const RecipeInstall& install, const std::string& cuda) {
    if (cuda.empty() || install.vague || install.step->conditional) return open.push_back(install);
    const auto same = [&](const RecipeBuild& build) {
      return build.cuda == cuda || build.cuda.starts_with(cuda + ".");
    };
    if (std::ranges::any_of(builds, same)) return;
    Add({.title = install.name + (install.version.empty() ? "" : " " + install.version),
         .framework = install.name,
         .version = install.version,
         .cuda = cuda,
         .evidence = AsEvidence(install.step),
         .recipe = install.step.recipe,
         .part = install.step.part,
         .line = install.step->line});
  }

  std::vector<RecipeBuild> builds;
  std::vector<RecipeInstall> open;

 private:
  void Add(RecipeBuild build) {
    const auto own = base::Version::Parse(build.cuda), compat = base::Version::Parse(compat_);
    if (own && compat && *own <= *compat) build.compat = compat_;
    builds.push_back(std::move(build));
  }

  const PartView& view_;
  std::set<std::string, std::less<>> there_;  // frameworks, also those without CUDA
  std::string compat_;                        // the CUDA of the cuda-compat that is there
};

// What pip, uv and the like install: frameworks, and the torch that other packages require. `pinned`: the
// command itself says which torch. `unread`: so may a requirement file.
void AddPip(const RecipeInstall& install, bool pinned, bool unread, Installed& all) {
  if (const FrameworkPackage package = FrameworkOfPackage(install); !package.framework.empty())
    return all.AddFramework(install, package);
  const auto torch = pinned ? std::nullopt : TorchOfPackage(install);
  if (!torch || (torch->empty() && unread)) return;
  RecipeInstall required = install;
  required.name = "torch";
  required.version = *torch;
  required.extra.clear();
  required.upgrades = false;
  all.AddFramework(required, {"torch", required.variant});
}

bool SaysCpu(const RecipeInstall& install) {
  return install.name == "cpuonly" ||
         (IsFrameworkOfConda(install) && install.text.find("cpu") != std::string::npos);
}

Installed InstalledIn(const PartView& view) {
  Installed all(view);
  if (view.open) return all;
  all.AddImage();
  const std::vector<RecipeInstall> installs = InstallsOf(view);
  const bool chosen = std::ranges::any_of(installs, [](const RecipeInstall& install) {
    return install.manager == Manager::kConda && (CudaOfPackage(install) || SaysCpu(install));
  });
  const bool unread = !UnreadInstallsOf(view).empty();
  std::set<const RecipeStep*> pinning;
  for (const RecipeInstall& install : installs) {
    if (install.name == "torch" && !install.version.empty()) pinning.insert(install.step.step);
    if (std::string compat = CompatOfPackage(install); !compat.empty()) all.SetCompat(std::move(compat));
  }
  for (const RecipeInstall& install : installs) {
    if (all.IsFull()) break;
    if (const auto cuda = CudaOfPackage(install)) {
      all.AddCuda(install, *cuda);
    } else if (install.manager == Manager::kPip) {
      AddPip(install, pinning.contains(install.step.step), unread, all);
    } else if (IsFrameworkOfConda(install)) {
      if (install.name.starts_with("pytorch")) all.NoteThere("torch");
      if (!chosen) all.open.push_back(install);
    }
  }
  return all;
}

}  // namespace

std::vector<RecipeBuild> BuildsOf(const PartView& view) { return InstalledIn(view).builds; }

std::vector<RecipeInstall> OpenInstallsOf(const PartView& view) { return InstalledIn(view).open; }

std::vector<PartView::Step> DoubtfulCopiesOf(const PartView& view) {
  const auto counts = [](const RecipeInstall& install) {
    return !FrameworkOfPackage(install).framework.empty() || IsFrameworkOfConda(install) ||
           (install.manager != Manager::kApt && (CudaOfPackage(install) || TorchOfPackage(install)));
  };
  std::vector<PartView::Step> copies;
  for (const PartView::Brought& brought : view.brought) {
    const bool installed = !brought.sure && (std::ranges::any_of(InstallsIn(brought.steps), counts) ||
                                             !UnreadInstallsIn(brought.steps).empty());
    if (installed || brought.framework) copies.push_back(brought.copy);
  }
  return copies;
}

std::vector<RecipeRequirement> RequirementsOfRecipes(const Scene& scene) {
  std::vector<RecipeRequirement> all;
  for (const PartView& view : Started(scene)) {
    if (view.base == nullptr || view.part->open) continue;
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
        required.source = {"images of CUDA " + std::string(row->cuda) +
                               " set the NVIDIA_REQUIRE_CUDA that is evaluated below",
                           std::string(row->source)};
      }
      all.push_back(std::move(required));
    }
  }
  return all;
}

}  // namespace culprit::rules

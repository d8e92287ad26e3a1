// CUL2006: the driver does not meet NVIDIA_REQUIRE_CUDA.
#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "base/version.h"
#include "knowledge/driver.h"
#include "knowledge/packages/requirement.h"
#include "rules/kit/driver/driver_choice.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/kit/driver/driver_need.h"
#include "rules/kit/recipe/recipe_builds.h"
#include "rules/rule.h"

namespace culprit::rules::container_requirement_unmet {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The image says in NVIDIA_REQUIRE_CUDA which drivers it supports, and this driver is not one of them.

## Why it breaks
The NVIDIA runtime refuses to start such a container: `unsatisfied condition: cuda>=12.8, please update your driver to a newer
version, or use an earlier cuda container`. A container that was started anyway (NVIDIA_DISABLE_REQUIRE, CDI) has a CUDA that
the driver may not support.

## How culprit knows
culprit evaluates every NVIDIA_REQUIRE_* with the runtime's grammar (spaces are OR, commas are AND) against the
driver's version, its CUDA release, and each GPU's architecture and brand. If an image sets CUDA_VERSION but not
NVIDIA_REQUIRE_CUDA, the runtime requires that CUDA release. Where the brand is unknown, the answer counts only if it
is the same for every brand. For a Dockerfile, compose file or manifest, the nvidia/cuda tag tells what the image
contains (data/images.toml).
## Fix
Update the host's driver, or use an image with an older CUDA. NVIDIA_DISABLE_REQUIRE=1 only switches the check off: whether
CUDA works then depends on minor-version compatibility, or on the cuda-compat libraries in the image.

## When this is not your problem
You switched the check off on purpose, and the programs in the image run. With CDI (podman, and the runtime's default
mode since NVIDIA Container Toolkit 1.18) the variable is not read; `docker run --gpus` and the runtime's legacy mode
do.
## Sources
NVIDIA/libnvidia-container: src/cli/dsl.c, src/cli/configure.c; NVIDIA/nvidia-container-toolkit@d34b3046:
internal/config/image/cuda_image.go, internal/requirements; data/drivers.toml, data/images.toml.
)md";

using knowledge::Met;

// A variable, and what it requires.
struct Required {
  std::string name, value;   // "CUDA_VERSION", "12.4.1"
  std::string expression{};  // "cuda>=12.4"
  const RecipeRequirement* recipe = nullptr;
};

std::vector<Required> RequirementsOf(const Scene& scene) {
  std::vector<Required> all;
  for (const auto& [name, value] : scene.snapshot.environment) {
    if (name.starts_with("NVIDIA_REQUIRE_") && !name.starts_with("NVIDIA_REQUIRE_JETPACK"))
      all.push_back({name, value, value});
  }
  const std::string cuda(scene.Variable("CUDA_VERSION"));
  if (IsImageForHost(scene) && !cuda.empty() && scene.Variable("NVIDIA_REQUIRE_CUDA").empty()) {
    const auto version = base::Version::Parse(cuda);
    if (version) all.push_back({"CUDA_VERSION", cuda, "cuda>=" + ReleaseOf(cuda)});
  }
  return all;
}

knowledge::RequirementFacts HostFacts(const Scene& scene, std::optional<base::Version> driver) {
  knowledge::RequirementFacts facts;
  facts.driver = std::move(driver);
  if (facts.driver) {
    const auto own = knowledge::CudaOfDriver(*facts.driver);
    facts.cuda = base::Version::Parse(own.cuda);
    facts.cuda_at_least = own.at_least;
  }
  for (const snapshot::Gpu* gpu : KnownGpus(scene)) {
    const auto arch = base::Version::Parse(gpu->compute_capability);
    facts.gpus.push_back({arch, gpu->virtual_gpu ? knowledge::BrandsOf("", std::nullopt)
                                                 : knowledge::BrandsOf(gpu->name, arch)});
  }
  return facts;
}

// Alternatives that differ in the brand alone.
struct Group {
  std::string conditions;  // "driver>=470,driver<471"; "" if there is only the brand
  std::vector<std::string> brands{};
  const knowledge::RequirementCondition* failed = nullptr;
};

std::vector<Group> GroupsOf(const std::vector<knowledge::RequirementAlternative>& alternatives) {
  std::vector<Group> groups;
  for (const auto& alternative : alternatives) {
    Group group;
    for (const auto& condition : alternative) {
      const bool brand = condition.property == knowledge::RequirementProperty::kBrand;
      if (brand) {
        group.brands.emplace_back(condition.text.substr(condition.text.find_first_of("=!")));
      } else {
        group.conditions += (group.conditions.empty() ? "" : ",") + std::string(condition.text);
      }
      const bool other_failed =
          group.failed != nullptr && group.failed->property != knowledge::RequirementProperty::kBrand;
      if (condition.met == Met::kNo && !other_failed) group.failed = &condition;
    }
    const auto same = std::ranges::find(groups, group.conditions, &Group::conditions);
    if (same == groups.end() || same->brands.empty() != group.brands.empty()) {
      groups.push_back(std::move(group));
    } else {
      std::ranges::move(group.brands, std::back_inserter(same->brands));
    }
  }
  return groups;
}

// Each alternative with the reason why it does not hold; brands in one line.
void AddProof(const Scene& scene, const snapshot::Driver& driver, const knowledge::RequirementAnswer& answer,
              report::Finding& finding) {
  constexpr size_t kMost = 8;
  const auto own = knowledge::CudaOfDriver(*ModuleVersion(driver));
  const auto gpus = KnownGpus(scene);
  const snapshot::Gpu* gpu = answer.gpu < gpus.size() ? gpus[answer.gpu] : nullptr;
  const std::vector<Group> groups = GroupsOf(answer.alternatives);
  for (size_t i = 0; i < groups.size() && i < kMost; ++i) {
    std::string words = groups[i].conditions;
    for (size_t b = 0; b < groups[i].brands.size(); ++b)
      words += (b > 0 ? ", " : words.empty() ? "brand" : " with brand") + groups[i].brands[b];
    words += " does not hold";
    const auto property =
        groups[i].failed != nullptr ? groups[i].failed->property : knowledge::RequirementProperty::kBrand;
    if (property == knowledge::RequirementProperty::kCuda) {
      finding.evidence.push_back(
          {words + ": the driver's CUDA release is " + std::string(own.cuda), std::string(own.source)});
    } else if (property == knowledge::RequirementProperty::kDriver) {
      finding.evidence.push_back(
          {words + ": the driver is " + *driver.kernel_version, driver.kernel_version.source});
    } else {
      finding.evidence.push_back({words + (gpu != nullptr ? ": the GPU is " + NameOf(*gpu) : ""),
                                  gpu != nullptr ? gpu->source : driver.kernel_version.source});
    }
  }
  if (groups.size() > kMost)
    finding.evidence.push_back(
        {"nor do " + std::to_string(groups.size() - kMost) + " more alternatives", "environment"});
}

// What comes of a start without the check.
std::string WithoutCheck(const Scene& scene) {
  const HowItRuns how =
      CudaUsers(scene).empty() ? HowItRuns{report::Runs::kUnknown, ""} : HowDriverRuns(scene);
  switch (how.runs) {
    case report::Runs::kYes:
      return "NVIDIA_DISABLE_REQUIRE=1 switches the check off, and the programs in the image run on this "
             "driver";
    case report::Runs::kByMinorVersion:
      return "NVIDIA_DISABLE_REQUIRE=1 switches the check off, and minor-version compatibility runs what has "
             "machine code for the GPU; PTX that the driver would have to compile fails";
    case report::Runs::kByForwardCompatibility:
      return "NVIDIA_DISABLE_REQUIRE=1 switches the check off, and the cuda-compat libraries in the image "
             "run "
             "it on this driver";
    case report::Runs::kNo:
      return "NVIDIA_DISABLE_REQUIRE=1 switches the check off, but CUDA then fails";
    case report::Runs::kUnknown:
      break;
  }
  return "NVIDIA_DISABLE_REQUIRE=1 only switches the check off";
}

// A driver that meets it. Most images accept some older branches by the way, which is no reason to go back;
// from the CUDA release that they name first on, every driver will do.
bool Serves(const Scene& scene, const base::Version& now, const std::string& expression,
            const base::Version& other) {
  const auto meets = [&](std::string_view text) {
    return knowledge::EvaluateRequirement(text, HostFacts(scene, other)).met == Met::kYes;
  };
  const std::string first = expression.substr(0, expression.find(' '));
  return other > now && meets(expression) && (!first.starts_with("cuda>=") || meets(first));
}

report::Fix FixFor(const Scene& scene, const snapshot::Driver& driver, const Required& required) {
  const std::string choice = ChooseDriver(scene, [&](const base::Version& other) {
                               return Serves(scene, *ModuleVersion(driver), required.expression, other);
                             }).version;
  const auto own = knowledge::CudaOfDriver(*ModuleVersion(driver));
  report::Fix fix{
      .text = "update the host's driver" + (choice.empty() ? "" : " to " + choice + " or newer") +
              ", or use an image for " +
              (own.cuda.empty() ? "an older CUDA" : "CUDA " + std::string(own.cuda) + " or older") + "; " +
              WithoutCheck(scene),
      .commands = {},
      .risk = report::Risk::kMedium,
      .changes = {}};
  if (!choice.empty()) fix.changes = {report::InstallDriver{choice}};
  return fix;
}

void Place(const RecipeRequirement& recipe, report::Finding& finding) {
  finding.subject = recipe.recipe->path;
  finding.about = {recipe.image};
  finding.affects.push_back(recipe.part->name);
  finding.place = report::Origin{recipe.recipe->path, static_cast<size_t>(recipe.line)};
  finding.evidence.push_back(recipe.evidence);
  if (recipe.source) finding.evidence.push_back(*recipe.source);
}

void CheckOne(const Scene& scene, const snapshot::Driver& driver, const Required& required, Ruling& ruling) {
  const auto answer =
      knowledge::EvaluateRequirement(required.expression, HostFacts(scene, ModuleVersion(driver)));
  if (answer.met == Met::kUnknown) {
    ruling.NotEnoughFacts("whether driver " + *driver.kernel_version + " meets " + required.name,
                          answer.not_understood.empty() ? required.expression
                                                        : "\"" + base::Printable(answer.not_understood) +
                                                              "\" is not a condition that the runtime knows");
  }
  if (answer.met != Met::kNo) return;
  const std::string first = required.expression.substr(0, required.expression.find(' '));
  const size_t others = answer.alternatives.size() - 1;
  report::Finding& finding = ruling.Fire(
      driver.assumed
          ? "the container runtime refuses to start this image on driver " + *driver.kernel_version + ": " +
                required.name + " requires " + first +
                (others == 0 ? "" : ", and none of its other alternatives holds")
          : "driver " + *driver.kernel_version + " does not meet what the image requires: " + first,
      required.name);
  if (!driver.assumed) finding.severity = report::Severity::kWarning;  // it was started anyway
  if (required.recipe != nullptr)
    Place(*required.recipe, finding);
  else
    finding.evidence.push_back({required.name + "=" + required.value, "environment"});
  AddProof(scene, driver, answer, finding);
  finding.fix = FixFor(scene, driver, required);
}

// Of images that no row knows: nothing is left open where the driver has the CUDA of the image itself.
void NameUnknown(const snapshot::Driver& driver, const RecipeRequirement& recipe, Ruling& ruling) {
  const auto own = base::Version::Parse(knowledge::CudaOfDriver(*ModuleVersion(driver)).cuda);
  const auto image = base::Version::Parse(ReleaseOf(knowledge::FactsOfImage(recipe.image).cuda));
  if (!own || !image || *own < *image)
    ruling.Remark(
        "whether the container runtime starts " + recipe.image + " on driver " + *driver.kernel_version,
        "this image's NVIDIA_REQUIRE_CUDA is not known; check the image itself: "
        "docker save IMAGE | culprit check - --host ...");
}

void CheckRecipes(const Scene& scene, Ruling& ruling) {
  const auto& driver = scene.stack().driver;
  if (!driver || !driver->kernel_version || !ModuleVersion(*driver)) return ruling.NotApplicable();
  for (const RecipeRequirement& recipe : RequirementsOfRecipes(scene)) {
    if (recipe.expression.empty())
      NameUnknown(*driver, recipe, ruling);
    else
      CheckOne(scene, *driver, {"NVIDIA_REQUIRE_CUDA", recipe.expression, recipe.expression, &recipe},
               ruling);
  }
}

void Check(const Scene& scene, Ruling& ruling) {
  if (scene.stack().recipes) return CheckRecipes(scene, ruling);
  const auto& driver = scene.stack().driver;
  const bool image = InContainer(scene) || (driver && driver->assumed);
  if (!image || knowledge::IsTrueForToolkit(scene.Variable("NVIDIA_DISABLE_REQUIRE")))
    return ruling.NotApplicable();
  for (const Required& required : RequirementsOf(scene)) {
    if (!driver || !driver->kernel_version) {
      if (driver && driver->kernel_version.state == snapshot::FactState::kAbsent)
        return;  // no driver: CUL1001
      return ruling.NotEnoughFacts("whether the driver meets " + required.name,
                                   "the driver's version is unknown; pass --host");
    }
    if (ModuleVersion(*driver)) CheckOne(scene, *driver, required, ruling);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL2006",
                           .name = "container_requirement_unmet",
                           .family = Family::kVisibility,
                           .cause = "driver-too-old",
                           .severity = report::Severity::kError,
                           .looks_at = LooksAt::kBoth,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "the image requires a newer driver than the host's",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::container_requirement_unmet

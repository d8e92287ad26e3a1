// CUL2006: the driver does not meet NVIDIA_REQUIRE_CUDA.
#include "base/version.h"
#include "knowledge/driver.h"
#include "knowledge/packages/requirement.h"
#include "rules/kit/driver/driver_choice.h"
#include "rules/kit/driver/driver_facts.h"
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
culprit evaluates every NVIDIA_REQUIRE_* with the runtime's grammar (spaces are OR, commas are AND) against the driver's version,
its CUDA release, and the GPUs.

## Fix
Update the host's driver, or use an image with an older CUDA. NVIDIA_DISABLE_REQUIRE=1 only switches the check off.

## When this is not your problem
You switched the check off on purpose, and the programs in the image run.

## Sources
nvidia-container-toolkit, internal/requirements; data/drivers.toml.
)md";

std::string BrandOf(const snapshot::Gpu& gpu) {
  if (gpu.name.find("GeForce") != std::string::npos) return "geforce";
  return gpu.name.find("Tesla") != std::string::npos ? "tesla" : "";
}

knowledge::RequirementFacts HostFacts(const Scene& scene, std::optional<base::Version> driver) {
  knowledge::RequirementFacts facts;
  facts.driver = std::move(driver);
  if (facts.driver) {
    const auto own = knowledge::CudaOfDriver(*facts.driver);
    facts.cuda = base::Version::Parse(own.cuda);
    facts.cuda_at_least = own.at_least;
  }
  const auto gpus = KnownGpus(scene);
  if (!gpus.empty()) {
    facts.arch = base::Version::Parse(gpus.front()->compute_capability);
    facts.brand = BrandOf(*gpus.front());
  }
  return facts;
}

void Check(const Scene& scene, Ruling& ruling) {
  const auto& driver = scene.stack().driver;
  const std::string off(scene.Variable("NVIDIA_DISABLE_REQUIRE"));
  const bool image = InContainer(scene) || (driver && driver->assumed);
  if (!image || off == "1" || off == "true") return ruling.NotApplicable();
  for (const auto& [name, value] : scene.snapshot.environment) {
    if (!name.starts_with("NVIDIA_REQUIRE_") || name.find("JETPACK") != std::string::npos) continue;
    if (!driver || !driver->kernel_version) {
      if (driver && driver->kernel_version.state == snapshot::FactState::kAbsent)
        return;  // no driver: CUL1001
      return ruling.NotEnoughFacts("whether the driver meets " + name,
                                   "the driver's version is unknown; pass --host");
    }
    const knowledge::Met met =
        knowledge::EvaluateRequirement(value, HostFacts(scene, ModuleVersion(*driver)));
    if (met == knowledge::Met::kUnknown) {
      ruling.NotEnoughFacts("whether driver " + *driver->kernel_version + " meets " + name, value);
    }
    if (met != knowledge::Met::kNo) continue;
    const std::string first = value.substr(0, value.find(' '));
    report::Finding& finding = ruling.Fire(
        "driver " + *driver->kernel_version + " does not meet what the image requires: " + first, name);
    if (!driver->assumed) finding.severity = report::Severity::kWarning;  // it was started anyway
    finding.evidence.push_back({name + "=" + value, "environment"});
    finding.evidence.push_back({"the driver is " + *driver->kernel_version, driver->kernel_version.source});
    const auto own = knowledge::CudaOfDriver(*ModuleVersion(*driver));
    if (!own.cuda.empty()) {
      finding.evidence.push_back({"its CUDA release is " + std::string(own.cuda), std::string(own.source)});
    }
    const std::string choice =
        ChooseDriver(scene, [&](const base::Version& other) {
          return knowledge::EvaluateRequirement(value, HostFacts(scene, other)) == knowledge::Met::kYes;
        }).version;
    finding.fix = {.text = "update the host's driver" +
                           (choice.empty() ? "" : " to " + choice + " or newer") +
                           ", or use an image with an older CUDA; NVIDIA_DISABLE_REQUIRE=1 only switches the "
                           "check off",
                   .commands = {},
                   .risk = report::Risk::kMedium,
                   .changes = {}};
    if (!choice.empty()) finding.fix.changes = {report::InstallDriver{choice}};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL2006",
                           .name = "container_requirement_unmet",
                           .family = Family::kVisibility,
                           .cause = "driver-too-old",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "the image requires a newer driver than the host's",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::container_requirement_unmet

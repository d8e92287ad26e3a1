// CUL1011: the forward-compatibility libcuda does not match the kernel module.
#include <algorithm>

#include "base/text.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/kit/load_facts.h"
#include "rules/rule.h"

namespace culprit::rules::compat_libcuda_wrong {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
Programs load libcuda from a cuda-compat directory, and it is older than the kernel module or not built for its branch.

## Why it breaks
cuda-compat lets a *newer* libcuda run on an older kernel module. The module rejects an older one, or one that does not list
the module's branch: error 803.

## How culprit knows
The libcuda that the loader model finds is in a compat directory. culprit compares its version with that of the loaded module
and, if the file has it, reads the list of branches in its note .note.cuda.fwd_compatibility.

## Fix
Let programs load the driver's own libcuda: remove the compat directory from LD_LIBRARY_PATH or /etc/ld.so.conf.d. The driver is
new enough without it.

## When this is not your problem
The compat library is newer than the module and the GPU is a data-centre GPU: that is what cuda-compat is for.

## Sources
NVIDIA, CUDA Compatibility (forward compatibility); nvidia-container-toolkit, cmd/nvidia-cdi-hook/cudacompat.
)md";

std::string Branches(const std::vector<uint32_t>& branches) {
  std::string text;
  for (const uint32_t branch : branches) text += (text.empty() ? "" : ", ") + std::to_string(branch);
  return text;
}

void CheckProcess(const Scene& scene, const loader::Scenario& scenario, const snapshot::Driver& driver,
                  Ruling& ruling) {
  const auto loaded = FindLoaded(scene, scenario, "libcuda.so");
  if (!loaded || loaded->kind != snapshot::DriverLibraryKind::kCompat) return;
  const auto compat = base::Version::Parse(loaded->version);
  const auto module = ModuleVersion(driver);
  if (!compat || !module) {
    ruling.NotEnoughFacts("whether the cuda-compat libcuda matches the kernel module",
                          "the file name " + loaded->object->real_path + " has no version");
    return;
  }
  const std::vector<uint32_t> none;
  const std::vector<uint32_t>& branches = loaded->copy != nullptr ? loaded->copy->compat_branches : none;
  const bool older = *compat < *module;
  const bool foreign = !branches.empty() && compat->part(0) != module->part(0) &&
                       std::ranges::find(branches, module->part(0)) == branches.end();
  if (!older && !foreign) return;
  const std::string& path = loaded->object->path;
  report::Finding& finding = ruling.Fire(
      "libcuda.so.1 comes from the cuda-compat directory " + std::string(base::DirName(path)) + " and is " +
          loaded->version + (older ? ", older than" : ", not built for the branch of") +
          (driver.assumed ? " the host's driver " : " the kernel module ") + *driver.kernel_version,
      path);
  finding.affects.push_back(scenario.title);
  finding.evidence.push_back(ModuleEvidence(driver));
  finding.evidence.push_back({path + " is " + loaded->version, loaded->object->real_path});
  if (foreign)
    finding.evidence.push_back({"it is built for branches " + Branches(branches), loaded->object->real_path});
  finding.evidence.push_back({"found through " + FoundThrough(scenario.graph, path), "the loader's search"});
  finding.fix = WithoutCompat(scene, *loaded->object);
}

void Check(const Scene& scene, Ruling& ruling) {
  const snapshot::Driver* driver = KernelSideOfImage(scene, ruling);
  if (driver == nullptr) return;
  if (!driver->kernel_version) return ruling.NotApplicable();
  for (const loader::Scenario& scenario : scene.scenarios) CheckProcess(scene, scenario, *driver, ruling);
}

}  // namespace

extern const Rule kRule = {.code = "CUL1011",
                           .name = "compat_libcuda_wrong",
                           .family = Family::kDriver,
                           .cause = "driver-library-mismatch",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "a cuda-compat libcuda does not match the kernel module",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::compat_libcuda_wrong

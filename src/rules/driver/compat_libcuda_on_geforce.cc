// CUL1012: forward compatibility does not work on consumer GPUs.
#include <algorithm>

#include "base/text.h"
#include "base/version.h"
#include "knowledge/arch.h"
#include "knowledge/driver.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::compat_libcuda_on_geforce {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
Programs load libcuda from a cuda-compat directory, and the GPUs here are GeForce or TITAN cards.

## Why it breaks
Forward compatibility is for data-centre GPUs. On a consumer card cuInit fails with error 804 "forward compatibility was
attempted on non supported HW".

## How culprit knows
The libcuda that the loader model finds is in a compat directory and is newer than the kernel module. The driver names
the GPUs. For an image that is checked with --host: the container runtime puts /usr/local/cuda/compat first if its
libcuda is newer than the host's driver, whatever the GPU.
## Fix
Remove the compat directory from the search path. If the program needs a newer CUDA than the driver supports, update the driver.

## When this is not your problem
You have data-centre GPUs. Some RTX workstation cards are supported too, so the rule does not fire for them.

## Sources
NVIDIA, CUDA Compatibility, forward compatibility: supported GPUs; CUDA runtime API, error 804.
)md";

bool IsConsumerCard(const snapshot::Gpu& gpu) {
  const auto capability = base::Version::Parse(gpu.compute_capability);
  return gpu.name.find("GeForce") != std::string::npos || gpu.name.find("TITAN") != std::string::npos ||
         (gpu.assumed && capability && knowledge::IsDataCentreGpu(*capability, gpu.name) == false);
}

void CheckProcess(const Scene& scene, const loader::Scenario& scenario, const snapshot::Driver& driver,
                  const snapshot::Gpu& gpu, Ruling& ruling) {
  const auto loaded = FindLoaded(scene, scenario, "libcuda.so");
  if (!loaded || loaded->kind != snapshot::DriverLibraryKind::kCompat) return;
  const auto compat = base::Version::Parse(loaded->version);
  const auto module = ModuleVersion(driver);
  if (!compat || !module || *compat <= *module) return;  // CUL1011 reports an older one
  const std::string& path = loaded->object->path;
  const knowledge::Rule* fact = knowledge::FindDriverRule("forward-compat-gpu-classes");
  report::Finding& finding =
      ruling.Fire("libcuda.so.1 " + loaded->version + " comes from the cuda-compat directory " +
                      std::string(base::DirName(path)) + ", which " + NameOf(gpu) + " does not support",
                  path);
  finding.affects.push_back(scenario.title);
  finding.evidence.push_back({path + " is " + loaded->version, loaded->object->real_path});
  finding.evidence.push_back(ModuleEvidence(driver));
  finding.evidence.push_back({"the GPU is a " + gpu.name, gpu.source});
  if (fact != nullptr) finding.evidence.push_back({std::string(fact->fact), std::string(fact->source)});
  finding.fix = WithoutCompat(scene, *loaded->object);
  if (loaded->object->via != loader::Via::kLdLibraryPath)
    finding.fix.text += ", and update the driver if the program needs a newer CUDA";
}

void Check(const Scene& scene, Ruling& ruling) {
  const snapshot::Driver* driver = KernelSideOfImage(scene, ruling);
  if (driver == nullptr) return;
  const std::vector<const snapshot::Gpu*> gpus = KnownGpus(scene);
  if (gpus.empty() || !std::ranges::all_of(gpus, [](const auto* gpu) { return IsConsumerCard(*gpu); })) {
    return ruling.NotApplicable();
  }
  for (const loader::Scenario& scenario : scene.scenarios) {
    CheckProcess(scene, scenario, *driver, *gpus.front(), ruling);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL1012",
                           .name = "compat_libcuda_on_geforce",
                           .family = Family::kDriver,
                           .cause = "driver-library-mismatch",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "a cuda-compat libcuda is loaded on a GPU that does not support it",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::compat_libcuda_on_geforce

// CUL7002: a framework or program has no code for this GPU, which is older than the build supports.
#include "base/version.h"
#include "knowledge/arch.h"
#include "rules/kit/gpu_code/fitting_build.h"
#include "rules/kit/gpu_code/gpu_code_facts.h"
#include "rules/kit/python/package_changes.h"

namespace culprit::rules::gpu_too_old_for_build {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
All code in the framework's library, or in a file that the program loads, is for newer GPU architectures than this
one. Builds drop old architectures: CUDA 13 compiles nothing older than Turing (sm_75), and frameworks drop more.
## Why it breaks
"CUDA error: no kernel image is available for execution on the device". PyTorch names its lowest supported capability in a
warning.

CuPy compiles most kernels with NVRTC, which supports the same GPUs: "nvrtc: error: invalid value for --gpu-architecture".

## How culprit knows
It reads the GPU code headers in the file; the lowest architecture there is above that of the GPU.

## Fix
Install an older build of the framework, or one for an older CUDA; build your own program with a toolkit that still supports the
GPU. PTX does not run on older GPUs.

## When this is not your problem
Your program uses another GPU that it has code for.

## Sources
CUDA programming guide and nvcc documentation on GPU compilation (binary and PTX compatibility); docs/fatbin-format.md;
data/architectures.toml.
)md";

// CuPy has one package per CUDA major, whose NVRTC it uses: choose the last one that supports the GPU.
report::Fix OlderCupy(const Scene& scene, const GpuFit& fit) {
  const auto capability = base::Version::Parse(fit.gpu->compute_capability);
  const auto* row = capability ? knowledge::FindCapability(*capability) : nullptr;
  report::Fix fix = BuildForThisGpu(scene, fit);
  const std::string old = fit.framework->package;
  if (row == nullptr || row->last_cuda.empty() || !old.starts_with("cupy-cuda")) return fix;
  const std::string package = "cupy-cuda" + MajorOf(row->last_cuda) + "x";
  const auto versions = KnownVersions(scene, *fit.environment, package);
  fix.text = "install " + package + ": CUDA " + std::string(row->last_cuda) +
             " is the last release that supports this GPU; a newer driver does not help";
  fix.commands = {PipOf(*fit.environment) + " uninstall -y " + Plain(old),
                  PipOf(*fit.environment) + " install \"" + Plain(package) + "[ctk]\""};
  if (versions.empty()) return fix;
  fix.changes = {report::RemovePackage{fit.environment->prefix, old}};
  AddInstall(scene, *fit.environment, {package, versions.front(), {"ctk"}}, Pip::kMissing, fix.changes);
  return fix;
}

void Check(const Scene& scene, Ruling& ruling) {
  std::vector<GpuFit> fits = GpuFits(scene, Role::kLeads, ruling);
  for (const GpuFit& fit : GpuFits(scene, Role::kBuiltOn, ruling)) {
    if (fit.framework->name == "cupy") fits.push_back(fit);
  }
  for (const GpuFit& fit : fits) {
    if (fit.fit != Fit::kNone || !fit.gpu_is_older) continue;
    report::Finding& finding =
        Fire(ruling, fit, "supports " + fit.lowest + " and newer, the GPU is " + DisplayName(*fit.gpu));
    const bool is_cupy = fit.framework != nullptr && fit.framework->name == "cupy";
    finding.fix = is_cupy ? OlderCupy(scene, fit) : BuildForThisGpu(scene, fit);
  }
}

}  // namespace

extern const Rule kRule = {
    .code = "CUL7002",
    .name = "gpu_too_old_for_build",
    .family = Family::kGpuCode,
    .cause = "arch-unsupported",
    .severity = report::Severity::kError,
    .since = "0.2.0",
    .title = "a framework or program has no code for this GPU, which is older than the build supports",
    .page = kPage,
    .check = Check};

}  // namespace culprit::rules::gpu_too_old_for_build

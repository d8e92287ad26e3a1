// CUL6010: JAX without its CUDA plugin on a machine with an NVIDIA GPU.
#include "rules/kit/gpu_code/fitting_build.h"

namespace culprit::rules::jax_without_cuda_plugin {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
`pip install jax` installs JAX for the CPU. GPU support is a plugin, jax-cuda12-plugin or jax-cuda13-plugin, that comes
with an extra. It is not installed here, and this machine has an NVIDIA GPU.

## Why it breaks
"An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed. Falling back to cpu."

## How culprit knows
There is no record of a plugin, no jax_plugins/xla_cuda*, and no jaxlib with CUDA in its version.

## Fix
Install JAX with the extra for the CUDA that the driver supports.

## When this is not your problem
You want JAX on the CPU.

## Sources
jax 0.10.2: METADATA (extras cuda12, cuda13), jax/_src/xla_bridge.py (the message).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const Presence gpu = GpuExpected(scene);
  for (const auto& environment : EnvironmentsOf(scene, ruling)) {
    const auto* jax = FindFramework(environment, "jax");
    if (jax == nullptr || !jax->cpu_only || gpu == Presence::kNo) continue;
    // Until 0.4.29 jaxlib itself could include CUDA: 0.4.19+cuda12.cudnn89.
    const auto* jaxlib = environment.Find("jaxlib");
    if (jaxlib != nullptr && jaxlib->version.find("+cuda") != std::string::npos) continue;
    report::Finding& finding =
        ruling.Fire("jax " + jax->version + " in " + environment.prefix +
                        " has no CUDA plugin, so it computes on the CPU",
                    jax->directory, {environment.prefix, "jax-cuda12-plugin", "jax-cuda13-plugin"});
    // What another package brought along may never be used.
    const bool brought = !AskedOf(scene, environment, "jax").empty();
    if (gpu == Presence::kUnknown || brought) finding.severity = report::Severity::kNote;
    finding.affects.push_back(TitleOf(environment, *jax));
    finding.evidence.push_back(
        {"no jax-cuda*-plugin among " + std::to_string(environment.packages.size()) + " packages",
         environment.prefix});
    auto fitting = FindFittingBuild(scene, environment, "jax", jax->version);
    if (!fitting) fitting = FindFittingBuild(scene, environment, "jax");
    if (!fitting) {
      finding.fix = {
          .text =
              "install jax with the CUDA extra, in a release that supports this driver and GPU; culprit "
              "knows no build of " +
              jax->version + " that does",
          .commands = {"culprit plan jax"},
          .risk = report::Risk::kLow};
      continue;
    }
    finding.fix = {.text = "install " + fitting->title + " with its plugin and CUDA packages",
                   .commands = {PipOf(environment) + " install " + ForPip(fitting->build.wanted)},
                   .risk = report::Risk::kLow};
    AddInstall(scene, environment, fitting->build.wanted, Pip::kMissing, finding.fix.changes);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL6010",
                           .name = "jax_without_cuda_plugin",
                           .family = Family::kPython,
                           .cause = "framework-cpu-only",
                           .severity = report::Severity::kWarning,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "JAX has no CUDA plugin, but the machine has a GPU",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::jax_without_cuda_plugin

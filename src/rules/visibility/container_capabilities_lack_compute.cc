// CUL2005: the container has the GPU but not libcuda.
#include "knowledge/packages/driver_capabilities.h"
#include "rules/kit/driver/device_nodes.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::container_capabilities_lack_compute {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The container has the GPU's device nodes, but NVIDIA_DRIVER_CAPABILITIES lacks `compute`, so the runtime did not mount
libcuda.so.1.

## Why it breaks
The runtime mounts libraries by capability: utility provides nvidia-smi and NVML, compute provides libcuda. With utility alone
nvidia-smi works and CUDA does not.

## How culprit knows
The variable, the device nodes in /dev, and the missing libcuda.so.1.

## Fix
Restart the container with compute,utility (the default if the variable is unset) or all. In an image, set the variable in the
Dockerfile: `docker run --gpus` does not set it.

## When this is not your problem
The container is only for display or video. For an image that is checked with --host, this is a warning, because it
depends on that host's container runtime: the hook that `docker run --gpus` starts and the runtime's legacy mode read
the variable; with CDI (podman, and the runtime's default mode since NVIDIA Container Toolkit 1.18) every container
with a GPU has libcuda.
## Sources
NVIDIA Container Toolkit documentation, driver capabilities; NVIDIA/nvidia-container-toolkit@d34b3046:
cmd/nvidia-container-runtime-hook/container_config.go, internal/modifier/cdi.go; moby/moby, daemon/nvidia_linux.go.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const std::string name = "NVIDIA_DRIVER_CAPABILITIES";
  const bool image = IsImageForHost(scene);
  const snapshot::Driver* driver = image ? &*scene.stack().driver : KernelSide(scene, ruling);
  if (driver == nullptr) return;
  if (!InContainer(scene) || (!image && (!HasGpuNode(*driver) || FindDriverLibrary(*driver) != nullptr)))
    return ruling.NotApplicable();
  const std::string value(scene.Variable(name));
  if (knowledge::ReadDriverCapabilities(value).Has(knowledge::DriverCapability::kCompute)) return;
  report::Finding& finding =
      ruling.Fire("NVIDIA_DRIVER_CAPABILITIES=" + value + " lacks compute, so " +
                      (image ? "the runtime may not mount libcuda.so.1 into this container"
                             : "there is no libcuda.so.1 in this container"),
                  name);
  if (image) finding.severity = report::Severity::kWarning;
  finding.evidence.push_back({name + "=" + value, "environment"});
  if (!image) finding.evidence.push_back({"GPU device nodes exist", "/dev"});
  finding.evidence.push_back({"no libcuda.so.1", "the loader's search and the usual directories"});
  finding.fix = {.text = "restart the container with the capability compute",
                 .commands = {"docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility ..."},
                 .risk = report::Risk::kLow,
                 .changes = {report::SetVariable{name, "compute,utility"}}};
  if (driver->kernel_version) finding.fix.changes.push_back(report::StartContainer{*driver->kernel_version});
}

}  // namespace

extern const Rule kRule = {.code = "CUL2005",
                           .name = "container_capabilities_lack_compute",
                           .family = Family::kVisibility,
                           .cause = "container-runtime",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "NVIDIA_DRIVER_CAPABILITIES lacks compute",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::container_capabilities_lack_compute

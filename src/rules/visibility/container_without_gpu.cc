// CUL2004: the host has a GPU, but this container has no access to it.
#include "base/text.h"
#include "knowledge/packages/driver_capabilities.h"
#include "rules/kit/driver/device_nodes.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::container_without_gpu {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The host has a GPU or a loaded driver, but this container has no access to it: no device node or no libcuda.so.1.

## Why it breaks
A container sees only what the runtime passes in. Without the NVIDIA runtime: `libcuda.so.1: cannot open shared object file`,
"Found no NVIDIA driver on your system", "CUDA driver version is insufficient".

## How culprit knows
The host's module or GPU is visible in /sys, but /dev has no nvidia nodes or libcuda.so.1 is not found.

## Fix
Start it with GPU access: `docker run --gpus all`, `podman run --device nvidia.com/gpu=all`, `apptainer exec --nv`, in Kubernetes
a limit nvidia.com/gpu. The host needs the nvidia-container-toolkit. Do not install a driver inside the container.

## When this is not your problem
The container is not meant to use the GPU.

## Sources
NVIDIA Container Toolkit documentation; Apptainer user guide, GPU support.
)md";

report::Fix StartWithGpu(const std::string& runtime) {
  report::Fix fix{.text = "start the container with GPU access; do not install a driver inside it",
                  .commands = {},
                  .risk = report::Risk::kLow};
  if (runtime == "kubernetes") {
    fix.text =
        "request a GPU for the pod: resources.limits nvidia.com/gpu, on a node with NVIDIA's device plugin";
    fix.commands = {"kubectl describe nodes | grep nvidia.com/gpu"};
  } else if (runtime == "singularity") {
    fix.commands = {"apptainer exec --nv IMAGE ..."};
  } else if (runtime == "lxc") {
    fix.text = "pass the GPU and the host driver's libraries into the container";
    fix.commands = {"lxc config device add CONTAINER gpu gpu",
                    "lxc config set CONTAINER nvidia.runtime true"};
  } else if (runtime == "podman") {
    fix.commands = {"podman run --device nvidia.com/gpu=all ..."};
  } else {
    fix.text += "; the host needs the nvidia-container-toolkit";
    fix.commands = {"docker run --gpus all ..."};
  }
  return fix;
}

void Check(const Scene& scene, Ruling& ruling) {
  const snapshot::Driver* driver = KernelSide(scene, ruling);
  if (driver == nullptr) return;
  if (!InContainer(scene) || (!driver->kernel_version && !IsLoaded(*driver, "nvidia")))
    return ruling.NotApplicable();
  if (!driver->nodes) return ruling.NotEnoughFacts("device nodes", "/dev: " + driver->nodes.why);
  const bool node = HasGpuNode(*driver);
  bool library = false;  // also an empty one or one without its symlink: other rules report those
  for (const snapshot::DriverLibrary& copy : driver->libraries) {
    library |= copy.name.starts_with("libcuda.so.") && copy.kind != snapshot::DriverLibraryKind::kStub &&
               copy.kind != snapshot::DriverLibraryKind::kCompat && !copy.real_path.empty();
  }
  if (node && library) return;
  if (!node && scene.IsSet("NVIDIA_VISIBLE_DEVICES")) {
    const std::string value(base::Trim(scene.Variable("NVIDIA_VISIBLE_DEVICES")));
    if (value.empty() || value == "void" || value == "none") return;  // CUL2003
  }
  const auto capabilities = knowledge::ReadDriverCapabilities(scene.Variable("NVIDIA_DRIVER_CAPABILITIES"));
  if (node && !capabilities.Has(knowledge::DriverCapability::kCompute)) return;  // CUL2005
  const snapshot::Context& here = Circumstances(scene);
  report::Finding& finding = ruling.Fire("this " + here.container + " container has " +
                                             (node      ? "device nodes but no libcuda.so.1"
                                              : library ? "libcuda.so.1 but no GPU device node in /dev"
                                                        : "no GPU: neither device nodes nor libcuda.so.1") +
                                             ", though the host runs driver " +
                                             (driver->kernel_version ? *driver->kernel_version : "nvidia"),
                                         here.container);
  finding.evidence.push_back({"a " + here.container + " container", here.container_source});
  finding.evidence.push_back(ModuleEvidence(*driver));
  finding.evidence.push_back({node ? "GPU device nodes exist" : "no GPU device node", "/dev"});
  finding.evidence.push_back(
      {library ? "libcuda.so.1 exists" : "no libcuda.so.1", "the loader's search and the usual directories"});
  if (here.injected.empty())
    finding.evidence.push_back({"no driver file is mounted", "/proc/self/mountinfo"});
  finding.fix = StartWithGpu(here.container);
  if (driver->kernel_version) finding.fix.changes = {report::StartContainer{*driver->kernel_version}};
}

}  // namespace

extern const Rule kRule = {.code = "CUL2004",
                           .name = "container_without_gpu",
                           .family = Family::kVisibility,
                           .explains = Explains::kCudaStart | Explains::kNvml,
                           .cause = "container-runtime",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "the container was started without GPU access",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::container_without_gpu

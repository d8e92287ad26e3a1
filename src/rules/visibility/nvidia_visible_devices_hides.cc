// CUL2003: NVIDIA_VISIBLE_DEVICES tells the container runtime to pass in no GPU.
#include "base/text.h"
#include "rules/kit/driver/device_nodes.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::nvidia_visible_devices_hides {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
NVIDIA_VISIBLE_DEVICES is void, none or empty in this container, and the container has no GPU.

## Why it breaks
The NVIDIA container runtime reads the variable when the container starts: empty or void means an ordinary container without
the driver, none means the driver's libraries without a GPU.

## How culprit knows
The variable, and no /dev/nvidiaN in the container, while /sys shows the host's driver.

## Fix
Restart the container with NVIDIA_VISIBLE_DEVICES=all (or a list), or with --gpus. Setting it in a running container has no
effect.

## When this is not your problem
The container gets its GPUs in another way (CDI, --device): then the nodes exist and the rule does not fire. For an
image that is checked with --host, this is a warning: `docker run --gpus` sets the variable itself.
## Sources
nvidia-container-toolkit, internal/config/image; NVIDIA Container Toolkit documentation, environment variables.
)md";

constexpr const char* kName = "NVIDIA_VISIBLE_DEVICES";

void CheckImage(const std::string& value, Ruling& ruling) {
  if (value != "void" && value != "none") return;
  report::Finding& finding = ruling.Fire(
      "NVIDIA_VISIBLE_DEVICES is " + value + ": the runtime may pass no GPU into this container", kName);
  finding.severity = report::Severity::kWarning;
  finding.evidence.push_back({std::string(kName) + "=" + value, "environment"});
  finding.fix = {.text = "set the variable to all in the image, or when the container starts",
                 .commands = {"docker run --gpus all -e NVIDIA_VISIBLE_DEVICES=all ..."},
                 .risk = report::Risk::kLow,
                 .changes = {report::SetVariable{kName, "all"}}};
}

void Check(const Scene& scene, Ruling& ruling) {
  const std::string name = kName;
  if (!InContainer(scene) || !scene.IsSet(name)) return ruling.NotApplicable();
  const std::string value(base::Trim(scene.Variable(name)));
  if (IsImageForHost(scene)) return CheckImage(value, ruling);
  const snapshot::Driver* driver = KernelSide(scene, ruling);
  if (driver == nullptr) return;
  if (!driver->nodes || HasGpuNode(*driver)) return ruling.NotApplicable();
  if (!driver->kernel_version && KnownGpus(scene).empty()) return ruling.NotApplicable();
  if (!value.empty() && value != "void" && value != "none") return;
  report::Finding& finding = ruling.Fire("NVIDIA_VISIBLE_DEVICES is " + (value.empty() ? "empty" : value) +
                                             ": the runtime passed no GPU into this container",
                                         name);
  finding.evidence.push_back({name + "=" + value, "environment"});
  finding.evidence.push_back({"no GPU device node", "/dev"});
  finding.evidence.push_back(
      {"this is a " + Circumstances(scene).container + " container", Circumstances(scene).container_source});
  finding.fix = {
      .text =
          "restart the container with the variable set to all or to a list; setting it in a running "
          "container has no effect",
      .commands = {"docker run --gpus all -e NVIDIA_VISIBLE_DEVICES=all ..."},
      .risk = report::Risk::kLow,
      .changes = {report::SetVariable{name, "all"}}};
  if (driver->kernel_version) finding.fix.changes.push_back(report::StartContainer{*driver->kernel_version});
}

}  // namespace

extern const Rule kRule = {.code = "CUL2003",
                           .name = "nvidia_visible_devices_hides",
                           .family = Family::kVisibility,
                           .cause = "container-runtime",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "NVIDIA_VISIBLE_DEVICES keeps the GPUs out of this container",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::nvidia_visible_devices_hides

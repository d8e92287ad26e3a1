// CUL1001: there is no NVIDIA driver at all.
#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::driver_missing {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
Neither the kernel module nor the library libcuda.so.1 of the NVIDIA driver is on this machine.

## Why it breaks
CUDA programs reach the GPU through libcuda.so.1, which belongs to the driver and to nothing else: no toolkit, no
cuDNN and no Python package brings it. Without it: `libcuda.so.1: cannot open shared object file`, "CUDA driver version
is insufficient for CUDA runtime version", `torch.cuda.is_available()` is False, cudaErrorNoDevice.

## How culprit knows
No version in /sys/module/nvidia and /proc/driver/nvidia, and no usable libcuda.so.1 in any directory that a loader
searches or that drivers are installed to. Stubs and cuda-compat packages do not count. The PCI bus tells whether there
is a GPU for it.

## Fix
With a GPU: install the driver of your distribution and reboot. Without one: use another machine, or run on the CPU on
purpose. Do not put a stub libcuda or one copied from elsewhere in its place.

## When this is not your problem
You only compile here, or run on the CPU. Toolkit, cuDNN and frameworks are judged apart from this.

## Sources
NVIDIA, CUDA Installation Guide for Linux; data/libraries.toml (libcuda belongs to the driver).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const snapshot::Driver* driver = KernelSide(scene, ruling);
  if (driver == nullptr) return;
  if (IsLoaded(*driver, "nvidia") || FindDriverLibrary(*driver) != nullptr) return;
  for (const snapshot::DriverLibrary& library : driver->libraries) {
    // A copy that is damaged or lacks its link is another rule's.
    const bool damaged = library.kind != "stub" && library.kind != "compat" &&
                         library.name.starts_with("libcuda.so.") && !library.real_path.empty();
    if (damaged) return;
  }
  const auto& gpus = scene.stack().gpus;
  const std::string name = scene.OnWindows() ? "nvcuda.dll" : "libcuda.so.1";
  std::string summary =
      "no NVIDIA driver: no " + name + " anywhere" + (scene.OnWindows() ? "" : " and no kernel module");
  if (gpus && gpus->empty()) summary += "; no NVIDIA GPU on the PCI bus either";
  if (gpus && !gpus->empty()) summary += ", though there is a " + NameOf(gpus->front());
  if (InContainer(scene)) summary += " (seen from a " + Circumstances(scene).container + " container)";
  report::Finding& finding = ruling.Fire(summary, name);
  for (const loader::Scenario& scenario : scene.scenarios) {
    if (scenario.kind == loader::Scenario::Kind::kFramework) finding.affects.push_back(scenario.title);
  }
  finding.evidence.push_back(ModuleEvidence(*driver));
  finding.evidence.push_back({"no " + name + " was found", "the loader's search and the usual directories"});
  if (gpus) {
    finding.evidence.push_back({gpus->empty() ? "no NVIDIA GPU" : NameOf(gpus->front()), gpus.source});
  }
  if (gpus && gpus->empty()) {
    finding.fix = {
        .text = "this machine has no NVIDIA GPU: run on another one, or on the CPU; a driver would not load",
        .commands =
            scene.OnWindows() ? std::vector<std::string>{} : std::vector<std::string>{"lspci -d 10de:"},
        .risk = "none",
        .changes = {report::NotInFiles{"a machine with an NVIDIA GPU", "no change of files brings a GPU"}}};
  } else {
    finding.fix = InstallDriver(scene);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL1001",
                           .name = "driver_missing",
                           .cause = "driver-missing",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "no NVIDIA driver on this machine",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::driver_missing

// CUL1001: no NVIDIA driver is installed.
#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::driver_missing {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The NVIDIA driver is not installed: this machine has neither its kernel module nor its library libcuda.so.1.

## Why it breaks
CUDA programs reach the GPU through libcuda.so.1. Only the driver provides it: no toolkit, no cuDNN and no Python package does.
Without it: `libcuda.so.1: cannot open shared object file`, "CUDA driver version is insufficient for CUDA runtime version",
`torch.cuda.is_available()` is False, cudaErrorNoDevice.

## How culprit knows
No version in /sys/module/nvidia and /proc/driver/nvidia, and no usable libcuda.so.1 in any directory that the loader
searches or that drivers are installed to. Stubs and cuda-compat packages do not count. The PCI bus shows whether there
is a GPU.

## Fix
With a GPU: install your distribution's driver and reboot. Without one: use another machine, or run on the CPU on
purpose. Do not put a stub libcuda or a copy from another machine in its place.

## When this is not your problem
You only compile here, or run on the CPU. culprit checks toolkit, cuDNN and frameworks separately.

## Sources
NVIDIA, CUDA Installation Guide for Linux; data/libraries.toml (libcuda belongs to the driver).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const snapshot::Driver* driver = KernelSide(scene, ruling);
  if (driver == nullptr) return;
  if (IsLoaded(*driver, "nvidia") || FindDriverLibrary(*driver) != nullptr) return;
  for (const snapshot::DriverLibrary& library : driver->libraries) {
    // Another rule reports a copy that is damaged or lacks its symlink.
    const bool damaged = library.kind != snapshot::DriverLibraryKind::kStub &&
                         library.kind != snapshot::DriverLibraryKind::kCompat &&
                         library.name.starts_with("libcuda.so.") && !library.real_path.empty();
    if (damaged) return;
  }
  if (!scene.OnWindows() && driver->modules.state == snapshot::FactState::kUnreadable) {
    ruling.NotEnoughFacts("the loaded kernel modules", driver->modules.source + ": " + driver->modules.why);
    return;
  }
  const auto& gpus = scene.stack().gpus;
  const std::string name = scene.OnWindows() ? "nvcuda.dll" : "libcuda.so.1";
  std::string summary =
      "no NVIDIA driver: " + name + (scene.OnWindows() ? " not found" : " and kernel module not found");
  if (gpus && gpus->empty()) summary += "; no NVIDIA GPU on the PCI bus either";
  if (gpus && !gpus->empty()) summary += ", though this machine has a " + NameOf(gpus->front());
  if (InContainer(scene)) summary += " (inside a " + Circumstances(scene).container + " container)";
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
    const std::string& hypervisor = Circumstances(scene).virtual_machine;
    if (!hypervisor.empty())
      finding.evidence.push_back(
          {"this is a virtual machine (" + hypervisor + ")", Circumstances(scene).virtual_machine_source});
    finding.fix = {
        .text =
            hypervisor.empty()
                ? "this machine has no NVIDIA GPU: use another one, or run on the CPU; a driver would not "
                  "load"
                : "this virtual machine has no NVIDIA GPU: set up GPU passthrough on its host, or use an "
                  "instance type with a GPU; a driver would not load",
        .commands = scene.OnWindows() ? std::vector<Command>{} : std::vector<Command>{"lspci -d 10de:"},
        .risk = report::Risk::kNone,
        .changes = {report::NotInFiles{"a machine with an NVIDIA GPU", "changing files does not add a GPU"}}};
  } else {
    finding.fix = InstallDriver(scene);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL1001",
                           .name = "driver_missing",
                           .family = Family::kDriver,
                           .cause = "driver-missing",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "no NVIDIA driver on this machine",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::driver_missing

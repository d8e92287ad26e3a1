// Questions that several driver rules share: is a driver installed, is its module loaded, which libcuda does
// a process load, is this a container.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/version.h"
#include "knowledge/arch.h"
#include "rules/rule.h"

namespace culprit::rules {

// Where we are running (container, WSL, Jetson); all empty if unknown.
const snapshot::Context& Circumstances(const Scene& scene);
inline bool InContainer(const Scene& scene) { return !Circumstances(scene).container.empty(); }
// An image that will run on another machine (--host). That machine's container runtime reads its variables.
inline bool IsImageForHost(const Scene& scene) {
  return InContainer(scene) && scene.stack().driver && scene.stack().driver->assumed;
}

// A vGPU needs the guest driver that belongs to the software of its host.
bool HasVirtualGpu(const Scene& scene);

// Tells that the GPUs cannot be looked at. Those of an image's host and of Windows behind WSL never can.
void LacksGpus(const Scene& scene, Ruling& ruling);

// The driver of this machine if its kernel side can be checked. Otherwise nullptr, after telling the ruling
// why: --root and --host (not applicable), WSL and Jetson (another kind of driver; not applicable), or
// missing facts.
const snapshot::Driver* KernelSide(const Scene& scene, Ruling& ruling);

// The same, and the assumed driver (--host) of an image where it is known which libcuda the image gets.
const snapshot::Driver* KernelSideOfImage(const Scene& scene, Ruling& ruling);

bool IsLoaded(const snapshot::Driver& driver, std::string_view module);  // "nvidia" also by its version alone
// The module's version; nullopt if it is not loaded or its version is not a number.
std::optional<base::Version> ModuleVersion(const snapshot::Driver& driver);

// A copy of libcuda that programs can use: not a stub, not from cuda-compat, not empty, named libcuda.so.1.
const snapshot::DriverLibrary* FindDriverLibrary(const snapshot::Driver& driver);

// The copy of a driver library that a process loads.
struct LoadedCopy {
  const loader::Object* object = nullptr;
  snapshot::DriverLibraryKind kind = snapshot::DriverLibraryKind::kUnknown;
  std::string version;                            // "" if unknown
  const snapshot::DriverLibrary* copy = nullptr;  // the driver collector's row; nullptr if it has none
};
// `family` is "libcuda.so" or "libnvidia-ml.so".
std::optional<LoadedCopy> FindLoaded(const Scene& scene, const loader::Scenario& scenario,
                                     std::string_view family);
// The scenario of any program started in this shell; nullptr if no load was simulated.
const loader::Scenario* AnyProgram(const Scene& scene);

// The libcuda of the loaded module's own version, where any program loads that one. Otherwise nullopt, after
// telling the ruling why the question does not arise.
std::optional<LoadedCopy> OwnLibcuda(const Scene& scene, Ruling& ruling);

// The NVIDIA GPUs on the PCI bus; empty also if it could not be read.
std::vector<const snapshot::Gpu*> KnownGpus(const Scene& scene);
// "NVIDIA H200 at 0000:19:00.0".
std::string NameOf(const snapshot::Gpu& gpu);

// A GPU to check against the driver branch: its architecture is known, and the loaded driver does not list
// it. A Jetson's GPU has its own driver and is skipped.
struct UndrivenGpu {
  const snapshot::Driver* driver;
  base::Version version;  // of the driver
  const snapshot::Gpu* gpu;
  base::Version capability;
  const knowledge::Capability* row;
};
// None, and not applicable, where the driver's version is unknown.
std::vector<UndrivenGpu> UndrivenGpus(const Scene& scene, Ruling& ruling);
// A finding on one of them, with driver, compute capability and table row as evidence and the driver that
// supports all GPUs as its fix. `needs` is the driver to install, in words.
report::Finding& Fire(const Scene& scene, Ruling& ruling, const UndrivenGpu& undriven, std::string summary,
                      const std::string& needs);

// nvidia-modprobe, the setuid program, loads nvidia-uvm and creates device nodes on demand; nothing else
// does.
// "" if it works, otherwise what is wrong with it: "/usr/bin/nvidia-modprobe is not installed".
std::string ModprobeProblem(const Scene& scene);
std::string_view ModprobePath();

// How to install a driver on this distribution, and which: one that supports the GPUs and the CUDA that
// processes need (driver_choice.h).
report::Fix InstallDriver(const Scene& scene);
// The command that reinstalls the driver's libraries; empty on an unknown distribution.
Command InstallComputeLibraries(const Scene& scene, const std::string& version);
// Adds nvidia-modprobe to a fix if nothing else would create the device nodes.
void AddNodeMaker(const Scene& scene, report::Fix& fix);
// Adds creating the nodes now, with nvidia-uvm.
void AddNodes(const Scene& scene, report::Fix& fix);
// Keeps the cuda-compat directory of a loaded libcuda out of the search; or the libraries out of an image
// whose runtime puts them in front.
report::Fix WithoutCompat(const Scene& scene, const loader::Object& libcuda);
report::Evidence ModuleEvidence(const snapshot::Driver& driver);

}  // namespace culprit::rules

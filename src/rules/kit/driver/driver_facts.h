// What the rules about the driver ask again and again: is there one, is its module loaded, which copy of
// libcuda does a process get, where are we.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/version.h"
#include "knowledge/arch.h"
#include "rules/rule.h"

namespace culprit::rules {

// The circumstances; all empty when they are not known.
const snapshot::Context& Circumstances(const Scene& scene);
inline bool InContainer(const Scene& scene) { return !Circumstances(scene).container.empty(); }

// The driver of this machine where its kernel side can be judged. nullptr, after telling the ruling why, when
// it cannot: --root and --host (not applicable), WSL and Jetson (another kind of driver; not applicable), or
// facts that could not be had.
const snapshot::Driver* KernelSide(const Scene& scene, Ruling& ruling);

bool IsLoaded(const snapshot::Driver& driver, std::string_view module);  // "nvidia" also by its version alone
// The module's version as a number; nullopt when it is not loaded or names itself otherwise.
std::optional<base::Version> ModuleVersion(const snapshot::Driver& driver);

// A copy of libcuda that can serve programs: no stub, no compat package, not empty, reachable as
// libcuda.so.1.
const snapshot::DriverLibrary* FindDriverLibrary(const snapshot::Driver& driver);

// The copy of a driver library that a process ends up with.
struct LoadedCopy {
  const loader::Object* object = nullptr;
  std::string kind;                               // as DriverLibrary::kind
  std::string version;                            // "" not known
  const snapshot::DriverLibrary* copy = nullptr;  // the row of the driver collector; nullptr when it has none
};
// `family` is "libcuda.so" or "libnvidia-ml.so".
std::optional<LoadedCopy> FindLoaded(const Scene& scene, const loader::Scenario& scenario,
                                     std::string_view family);
// The scenario of any program of this shell; nullptr when nothing was played.
const loader::Scenario* AnyProgram(const Scene& scene);

// GPUs of the PCI bus that are NVIDIA's and known; empty also when they could not be looked at.
std::vector<const snapshot::Gpu*> KnownGpus(const Scene& scene);
// "NVIDIA H200 at 0000:19:00.0".
std::string NameOf(const snapshot::Gpu& gpu);

// A GPU to hold against the branch of the driver: its architecture is known, and the loaded driver does not
// list it itself. A Jetson's GPU comes with a driver of its own and is left out.
struct UndrivenGpu {
  const snapshot::Gpu* gpu;
  base::Version capability;
  const knowledge::Capability* row;
};
std::vector<UndrivenGpu> UndrivenGpus(const Scene& scene, const snapshot::Driver& driver);
// Driver, capability and the row of the table.
std::vector<report::Evidence> BranchEvidence(const snapshot::Driver& driver, const UndrivenGpu& undriven);

// The setuid program that loads nvidia-uvm and makes device nodes on demand; without it nobody does. "" when
// it does its work, otherwise what is wrong with it: "/usr/bin/nvidia-modprobe is not there".
std::string ModprobeProblem(const Scene& scene);
std::string_view ModprobePath();

// How a driver is installed on this distribution, and which: one that drives the GPUs and runs the CUDA that
// processes ask for (driver_choice.h).
report::Fix InstallDriver(const Scene& scene);
// The command that installs the libraries of the driver again; "" on a distribution that is not known.
std::string InstallComputeLibraries(const Scene& scene, const std::string& version);
// To a fix after which nobody would make device nodes: nvidia-modprobe, as it should be.
void AddNodeMaker(const Scene& scene, report::Fix& fix);
// ... and has it make them now, with nvidia-uvm.
void AddNodes(const Scene& scene, report::Fix& fix);
report::Evidence ModuleEvidence(const snapshot::Driver& driver);

}  // namespace culprit::rules

// Builds of a framework that a machine can have: rows of data/frameworks.toml joined with the wheels of
// data/distributions.toml. A row may stand for many releases ("1.19" = every 1.19.x); a release without a row
// of its own takes that of an older one, and what it runs on is then not known.
//
// `compat` and `plan` ask the same functions about a build (BuildOn...), so they cannot disagree.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/platform.h"
#include "base/version.h"
#include "knowledge/answer.h"
#include "knowledge/packages/distributions.h"
#include "knowledge/packages/frameworks.h"

namespace culprit::knowledge {

using base::Machine;

// Where pip finds a build.
enum class PublishedOn {
  kUnknown,
  kPackageIndex,
  kIndex,       // another index in its place
  kTorchIndex,  // PyTorch's: its versions end in "+cu118"
  kFeed,        // an index with one package and nothing that it needs: ONNX Runtime's
  kPage,        // a page of links to wheels
};

struct Build {
  FrameworkRelease row;      // GPU code is that of the machine
  std::string_view version;  // "2.4.1"
  base::Version number;
  std::string_view distribution;  // "onnxruntime-gpu"
  Machine machine = Machine::kLinuxX86;
  const Distribution* wheel = nullptr;    // for this machine; nullptr: none is listed
  std::span<const Distribution> release;  // its wheels on the package index, of all machines
  PublishedOn published = PublishedOn::kUnknown;
  std::string address;   // of an index, feed or page
  std::string shown;     // "2.4.1+cu118"
  std::string extra;     // "and-cuda"
  bool own_row = true;   // false: the row is that of an older release
  bool in_table = true;  // false: older releases have this build; whether this one has it is not known
};

// Newest first; of one release the default build first, then the newest CUDA first. `framework` must outlive
// the builds.
std::vector<Build> BuildsOf(std::string_view framework, Machine machine);
// Those of one release, in the same order: "2.5.1", "1.19.2". `version` must outlive the builds.
std::vector<Build> BuildsOfRelease(std::string_view framework, std::string_view version, Machine machine);
// The release that somebody means with "2.5": the newest 2.5.x that the index or a row has, "" if there is
// none. A whole version stands for itself.
std::string ReleaseMeant(std::string_view framework, std::string_view version);

// Whether the tables have any build of it with what installing it takes; otherwise they only describe it.
bool HasBuilds(std::string_view framework);
// Whether a distribution holds builds of a framework: "cupy-cuda12x" those of cupy.
bool IsBuildOf(std::string_view framework, std::string_view distribution);

// The answer of a build that may not exist (`in_table`) is not yes. The functions below answer as if it did.
Answer IfThereIsOne(const Build& build, Answer answer);

// Whether a build ... is published for the machine, with GPU support.
Answer BuildOnMachine(const Build& build);
// ... runs with a driver. `platform` is that of the driver: of Windows under WSL.
Answer BuildOnDriver(const Build& build, const base::Version& driver, Platform platform);
// ... runs on a GPU, with the libraries that it brings. `driver` may be empty; otherwise, PTX that the driver
// cannot compile counts as no.
Answer BuildOnGpu(const Build& build, const base::Version& cc, const base::Version* driver);
// ... has a wheel for a Python.
Answer BuildOnPython(const Build& build, const base::Version& python);

// Whether what the package index requires beside it has wheels for a Python. Only for a wheel that is for
// every Python: one that was built for this Python keeps what has none behind a marker, and pins have no
// markers.
Answer RequirementsOnPython(const Build& build, const base::Version& python);

// ---- build_libraries.cc: what a build loads
// The newest CUDA whose libraries it can load: what it brings, or the newest of its range.
base::Version CudaLoaded(const Build& build);
// Whether it takes CUDA from the system, and no wheels serve it.
bool LoadsFromSystem(const Build& build);
// Whether wheels of the index serve a build that takes what the machine has: those of cupy's extra, and for
// ctranslate2, which opens cuBLAS and cuDNN by their names, the ones that its documentation names.
bool ServedByWheels(const Build& build);
// Whether the libraries of a CUDA release (cuBLAS ...) have code for a GPU: those that it compiles for, and
// later ones of the same major.
Answer CudaLibrariesOnGpu(const base::Version& cuda, const base::Version& cc);
// Whether the cuDNN that it brings has code for a GPU.
Answer CudnnOfBuildOnGpu(const Build& build, const base::Version& cc);
// Whether there is a toolkit and a cuDNN that it can load from the system, for the GPU and the driver.
Answer SystemForBuild(const Build& build, const base::Version& cc, const base::Version* driver,
                      Platform platform);

std::string NameOf(const Build& build);  // "torch 2.7.0+cu128"
// Whether the variant is part of the name of its package: mxnet-cu112.
bool IsNamedByVariant(const Build& build);
Platform PlatformOf(Machine machine);
std::string_view PlatformTag(Machine machine);  // "linux-x86_64"
std::string MachineWords(Machine machine);      // "Linux x86-64"

// The wheel of a release for a machine; nullptr when there is none.
const Distribution* WheelFor(std::string_view distribution, std::string_view version, Machine machine);
// A release as a number: "9.0.0.312.post1" counts as 9.0.0.312.
base::Version NumberOf(std::string_view version);
// Where the libraries of a build come from on its machine.
LibrariesFrom LibrariesOf(const FrameworkRelease& row, Machine machine);
std::string_view CudnnOf(const FrameworkRelease& row, Machine machine);

}  // namespace culprit::knowledge

// Builds of a framework that a machine can have: rows of data/frameworks.toml joined with the wheels of
// data/distributions.toml. A row may stand for many releases ("1.19" = every 1.19.x), a release without a
// row of its own takes that of its minor release.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/version.h"
#include "knowledge/packages/distributions.h"
#include "knowledge/packages/frameworks.h"
#include "plan/question.h"
#include "plan/universe/project_releases.h"
#include "report/plan.h"

namespace culprit::plan {

struct Build {
  knowledge::FrameworkRelease row;  // GPU code is that of the machine
  std::string_view version;         // "2.4.1"
  base::Version number;
  std::string_view distribution;         // "onnxruntime-gpu"
  const knowledge::Distribution* wheel;  // for this machine; nullptr: none is listed
  bool listed = false;                   // the package index has the release for some machine
  report::Channel channel;               // kUnknown: where it is published is not known
  std::string shown;                     // "2.4.1+cu118"
  std::string extra;                     // "and-cuda"
  bool own_row = true;                   // false: taken over from an older release, GPU code is not known
  bool in_table = true;  // false: older releases have this build; whether this one has it is not known
};

struct Wheel {
  const knowledge::Distribution* row;
  base::Version number;
};

// Made on demand and kept for the questions that follow from the first one.
class BuildTable {
 public:
  // Newest first; of one release the default build first, then the newest CUDA first.
  const std::vector<Build>& Of(std::string_view framework, Machine machine);
  // knowledge::DriverForCuda and knowledge::CudnnForCuda, each asked once.
  knowledge::Answer DriverRuns(const base::Version& driver, const std::string& cuda, Machine machine);
  bool CudnnHasBuild(std::string_view cudnn, uint32_t cuda_major);
  const knowledge::Answer& CudnnOnGpu(const base::Version& cudnn, uint32_t cuda_major,
                                      const base::Version& cc);
  // Whether a driver belongs to a CUDA release or a newer one.
  bool IsNative(const base::Version& driver, std::string_view cuda, Machine machine);
  // Wheels of a distribution for a machine, newest first.
  const std::vector<Wheel>& WheelsOf(std::string_view distribution, Machine machine);
  // Releases of a package beside a framework, newest first.
  const std::vector<ProjectRelease>& ReleasesOf(const std::string& project, Machine machine);
  // Those of the wheels that meet "==9.1.0.70" or ">=9.8,<10", by their place.
  const std::vector<size_t>& Meeting(std::string_view distribution, Machine machine,
                                     const std::string& specifiers);

 private:
  std::map<std::tuple<std::vector<uint32_t>, std::string, Machine>, knowledge::Answer> drivers_;
  std::map<std::pair<std::string_view, uint32_t>, bool> cudnns_;
  std::map<std::tuple<std::vector<uint32_t>, uint32_t, std::vector<uint32_t>>, knowledge::Answer> on_gpu_;
  std::map<std::pair<std::vector<uint32_t>, Machine>, base::Version> native_;
  std::map<std::pair<std::string, Machine>, std::vector<Wheel>> wheels_;
  std::map<std::tuple<std::string, Machine, std::string>, std::vector<size_t>> meeting_;
  std::map<std::pair<std::string, Machine>, std::vector<ProjectRelease>> projects_;
  std::map<std::pair<std::string, Machine>, std::vector<Build>> made_;
};

base::Platform PlatformOf(Machine machine);
// The machine whose drivers are counted: WSL has that of Windows.
Machine DriverMachine(const Host& host);
std::string_view PlatformTag(Machine machine);  // "linux-x86_64"
std::string MachineWords(Machine machine);      // "Linux x86-64"

// The wheel of a release for a machine; nullptr when there is none.
const knowledge::Distribution* WheelFor(std::string_view distribution, std::string_view version,
                                        Machine machine);
// A release as a number: "9.0.0.312.post1" counts as 9.0.0.312.
base::Version NumberOf(std::string_view version);
// Where the libraries of a build come from on its machine.
knowledge::LibrariesFrom LibrariesOf(const knowledge::FrameworkRelease& row, Machine machine);
std::string_view CudnnOf(const knowledge::FrameworkRelease& row, Machine machine);

}  // namespace culprit::plan

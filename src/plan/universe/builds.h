// The builds of knowledge/ and what the tables say about them, each asked once.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/version.h"
#include "knowledge/packages/builds.h"
#include "knowledge/packages/project_releases.h"
#include "plan/question.h"
#include "report/plan.h"

namespace culprit::plan {

using knowledge::Build;
using knowledge::CudnnOf;
using knowledge::LibrariesOf;
using knowledge::MachineWords;
using knowledge::NumberOf;
using knowledge::PlatformOf;
using knowledge::PlatformTag;
using knowledge::ProjectRelease;
using knowledge::WheelFor;

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
  // knowledge::BuildOnPython, without its words: one answer for the builds of a release that are in one
  // place.
  struct PythonAnswer {
    knowledge::Verdict verdict;
    std::string_view source;
  };
  PythonAnswer OnPython(const Build& build, const base::Version& python);
  // knowledge::BuildOnGpu (of no driver) and CudnnOfBuildOnGpu of a build of this table.
  const knowledge::Answer& OnGpu(const Build& build, const base::Version& cc);
  bool CudnnForbids(const Build& build, const base::Version& cc);
  // Whether a driver belongs to a CUDA release or a newer one.
  bool IsNative(const base::Version& driver, std::string_view cuda, Machine machine);
  // Wheels of a distribution for a machine, newest first.
  const std::vector<Wheel>& WheelsOf(std::string_view distribution, Machine machine);
  // Releases of a package beside a framework, newest first.
  const std::vector<ProjectRelease>& ReleasesOf(const std::string& project, Machine machine);
  // Whether each build of a framework, in the order of Of(), meets "==2.5.1": one answer for a release.
  const std::vector<knowledge::Verdict>& BuildsMeeting(std::string_view framework, Machine machine,
                                                       std::string_view specifiers);
  // Those of the wheels that meet "==9.1.0.70" or ">=9.8,<10", by their place.
  const std::vector<size_t>& Meeting(std::string_view distribution, Machine machine,
                                     const std::string& specifiers);

 private:
  using OfBuild = std::pair<const Build*, base::VersionParts>;
  // What decides about Python: the release, where it is, the Pythons of its row, its wheel.
  using PythonKey = std::tuple<std::string_view, std::string_view, Machine, knowledge::PublishedOn,
                               std::string_view, std::string_view, base::VersionParts>;
  std::map<PythonKey, PythonAnswer> build_on_python_;  // without a source: that of the build's own row
  std::map<OfBuild, knowledge::Answer> build_on_gpu_;
  std::map<OfBuild, bool> cudnn_forbids_;
  std::map<std::tuple<base::VersionParts, std::string, base::Platform>, knowledge::Answer> drivers_;
  std::map<std::pair<std::string_view, uint32_t>, bool> cudnns_;
  std::map<std::tuple<base::VersionParts, uint32_t, base::VersionParts>, knowledge::Answer> on_gpu_;
  std::map<std::pair<base::VersionParts, Machine>, base::Version> native_;
  std::map<std::pair<std::string, Machine>, std::vector<Wheel>> wheels_;
  std::map<std::tuple<std::string, Machine, std::string>, std::vector<size_t>> meeting_;
  std::map<std::tuple<std::string, Machine, std::string>, std::vector<knowledge::Verdict>> builds_meeting_;
  std::map<std::pair<std::string, Machine>, std::vector<ProjectRelease>> projects_;
  std::map<std::pair<std::string, Machine>, std::vector<Build>> made_;
};

// The framework of a name if its builds can be planned; "" for other packages, and for frameworks of which
// the tables have no builds: TensorRT is planned as the packages of the index that bring it.
std::string_view PlannedFramework(std::string_view name);

// The machine whose drivers are counted: WSL has that of Windows.
Machine DriverMachine(const Host& host);
report::Channel ChannelOf(const Build& build);

}  // namespace culprit::plan

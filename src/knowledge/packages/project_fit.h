// Whether a release of a package beside a framework fits a machine, by what the tables say of the package
// itself; what it requires is another question (RequirementsOf). `compat` and `plan` ask the same functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/version.h"
#include "knowledge/answer.h"
#include "knowledge/driver.h"
#include "knowledge/packages/project_releases.h"

namespace culprit::knowledge {

// `words` do not name the release: what they say holds for others as well.
struct ReleaseFit {
  Verdict verdict = Verdict::kUnknown;
  std::string words;  // "no code for sm_61"
  std::string_view source;
  bool no_row = false;  // unknown because no table has a row that would tell
};

// Each is empty where the package itself has nothing to do with it.
std::optional<ReleaseFit> ReleaseOnGpu(const ProjectRelease& release, const base::Version& cc);
// `platform` is that of the driver: of Windows under WSL.
std::optional<ReleaseFit> ReleaseOnDriver(const ProjectRelease& release, const base::Version& driver,
                                          Platform platform);
std::optional<ReleaseFit> ReleaseWithCuda(const ProjectRelease& release, const base::Version& cuda);
std::optional<ReleaseFit> ReleaseOnPython(const ProjectRelease& release, const base::Version& python);
ReleaseFit ReleaseOnMachine(const ProjectRelease& release);
// Whether there is a source archive alone of what others get as wheels with GPU code: nobody says that it
// builds on Windows, and RAPIDS' only fetch the wheel for Linux.
bool IsSourceOfWheels(const ProjectRelease& release);

// Whether there is a toolkit that it can be built with, for a driver and a GPU; each may be empty.
std::optional<ReleaseFit> ToolkitForRelease(const ProjectRelease& release, const base::Version* driver,
                                            const base::Version* cc, Platform platform);
// "cu118" -> 11, "cu102" -> 10; 0 = not a CUDA
uint32_t MajorOfVariant(std::string_view variant);

// The drivers that it asks for beyond those of its CUDA: ">=535". Empty if nothing is said.
std::optional<Required> DriverBound(const ProjectRelease& release);

// Whether it has the library that it opens beside a framework built with a CUDA. Empty if it has nothing to
// choose.
std::optional<ReleaseFit> ReleaseBesideCuda(const ProjectRelease& release, const base::Version& cuda);
// Whether it goes with a framework that was built with a CUDA, on all the GPUs. Yes where nothing says no.
bool GoesWithCuda(const ProjectRelease& release, const base::Version& cuda,
                  const std::vector<base::Version>& gpus);

// The majors of CUDA that the framework must be built with; empty = any. Of a wheel with several builds,
// those with code for the GPUs.
std::vector<uint32_t> CudaMajorsOf(const ProjectRelease& release, const std::vector<base::Version>& gpus);
// CUDA that the name of a package says: "12" for cudf-cu12 and nvidia-nccl-cu12; "" = none.
std::string_view CudaOfName(const ProjectRelease& release);

// "sm_61"
std::string GpuName(const base::Version& cc);

// Whether two packages satisfy each other's requirements, frameworks included. Empty: neither asks for the
// other, in any release.
std::optional<Answer> PackagesTogether(std::string_view package, std::string_view version,
                                       std::string_view other, std::string_view other_version,
                                       Machine machine, const base::Version* python);

}  // namespace culprit::knowledge

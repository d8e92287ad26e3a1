// Who needs which CUDA, and which driver serves it: the loaded module's, or a newer libcuda of cuda-compat in
// front of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "knowledge/driver.h"
#include "report/hosts.h"
#include "rules/kit/driver/driver_choice.h"
#include "rules/rule.h"

namespace culprit::rules {

struct CudaUser {
  std::string title;
  WantedCuda wanted;
  const loader::Scenario* scenario = nullptr;  // nullptr: a package that compiles for itself, or a recipe
  std::string compat{};                        // a recipe: the CUDA of the cuda-compat in its image
  std::optional<report::Origin> place{};       // of a recipe
  enum class Kind { kBuild, kImage, kToolkit } kind = Kind::kBuild;  // kImage: the base image itself
};
// The processes, and the packages that are judged by none but compile with tools of a certain CUDA. Where
// nothing uses the CUDA that is there and a host is assumed: the toolkit, for what will use it.
std::vector<CudaUser> CudaUsers(const Scene& scene);

struct DriverInUse {
  std::string version, source;
  const snapshot::DriverLibrary* compat = nullptr;  // the cuda-compat libcuda, if it is newer than the module
};
// The version of `driver` is known.
DriverInUse DriverOf(const Scene& scene, const loader::Scenario* scenario, const snapshot::Driver& driver);

// Whether the GPUs support forward compatibility (cuda-compat); empty if they are unknown, or of a kind that
// may.
std::optional<bool> SupportForwardCompatibility(const Scene& scene);

// Whether a driver that does not run that CUDA by itself runs it with the libcuda of cuda-compat in the
// image.
knowledge::Answer ForwardCompatOf(const Scene& scene, const base::Version& driver, const std::string& cuda);

// How everything here that needs CUDA runs with the driver of the host: the worst of them.
struct HowItRuns {
  report::Runs runs = report::Runs::kYes;
  std::string why;  // of "no" and "unknown"
};
HowItRuns HowDriverRuns(const Scene& scene);

}  // namespace culprit::rules

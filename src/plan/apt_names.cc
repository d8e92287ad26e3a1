#include "plan/apt_names.h"

#include <algorithm>

#include "knowledge/arch.h"
#include "knowledge/driver.h"

namespace culprit::plan {
namespace {

using base::Version;
using report::PlannedPackage;

const Version kTuring{{7, 5}};
// The first branch with packages of the open modules for every system of the guide.
constexpr uint32_t kFirstOpenBranch = 560;

const PlannedPackage* FromApt(const report::Plan& plan, std::string_view role) {
  const auto found = std::ranges::find_if(plan.packages, [&](const PlannedPackage& package) {
    return package.role == role && package.channel == "nvidia-apt";
  });
  return found == plan.packages.end() ? nullptr : &*found;
}

}  // namespace

std::string AptRepository(const std::string& distribution, Machine machine) {
  return "https://developer.download.nvidia.com/compute/cuda/repos/" + distribution +
         (machine == Machine::kLinuxArm ? "/sbsa" : "/x86_64");
}

std::vector<std::string> AddAptRepository(const Host& host) {
  const std::string here = host.wsl ? "wsl-ubuntu" : "$(. /etc/os-release; echo $ID$VERSION_ID | tr -d .)";
  return {"wget " + AptRepository(here, host.machine) + "/" + kKeyring,
          std::string("sudo dpkg -i ") + kKeyring, "sudo apt-get update"};
}

std::vector<std::string> AptToolkit(const std::string& version) {
  const auto cuda = Version::Parse(version);
  if (!cuda || cuda->parts.size() < 2) return {};
  const std::string name =
      "cuda-toolkit-" + std::to_string(cuda->part(0)) + "-" + std::to_string(cuda->part(1));
  return {cuda->parts.size() < 3 ? name : name + "=" + version + "-*"};
}

std::vector<std::string> AptCudnn(const std::string& version, const std::string& cuda) {
  const auto cudnn = Version::Parse(version), release = Version::Parse(cuda);
  if (!cudnn || !release) return {};
  const std::string major = std::to_string(cudnn->part(0)), cuda_major = std::to_string(release->part(0));
  if (cudnn->part(0) >= 9) {
    return {"libcudnn" + major + "-cuda-" + cuda_major + "=" + version + ".*",
            "libcudnn" + major + "-dev-cuda-" + cuda_major + "=" + version + ".*"};
  }
  const std::string pin = "=" + version + ".*+cuda" + cuda_major + ".*";
  return {"libcudnn" + major + pin, "libcudnn" + major + "-dev" + pin};
}

std::vector<std::string> AptCudnnOf(const report::Plan& plan) {
  const PlannedPackage* cudnn = FromApt(plan, "cudnn");
  const PlannedPackage* toolkit = FromApt(plan, "toolkit");
  if (cudnn == nullptr || toolkit == nullptr) return {};
  return AptCudnn(cudnn->version, toolkit->version);
}

std::string AptDriver(const std::string& lowest, const Host& host) {
  const auto version = Version::Parse(lowest);
  if (!version || host.gpus.empty()) return "";
  const auto branches = knowledge::DriverBranches();
  for (auto row = branches.rbegin(); row != branches.rend(); ++row) {
    if (row->branch < version->part(0)) break;
    const Version branch{{row->branch}};
    const bool drives = std::ranges::all_of(host.gpus, [&](const Version& gpu) {
      return knowledge::DriverDrives(branch, gpu).verdict == knowledge::Verdict::kYes;
    });
    if (!drives) continue;
    const bool open = row->branch >= kFirstOpenBranch &&
                      std::ranges::all_of(host.gpus, [](const Version& gpu) { return gpu >= kTuring; });
    return (open ? "nvidia-open-" : "cuda-drivers-") + std::to_string(row->branch);
  }
  return "";
}

}  // namespace culprit::plan

#include "plan/commands/apt_names.h"

#include <algorithm>

#include "knowledge/arch.h"
#include "knowledge/cudnn.h"
#include "knowledge/driver.h"
#include "knowledge/packages/packages.h"
#include "knowledge/packages/release.h"

namespace culprit::plan {
namespace {

using base::Version;
using report::PlannedPackage;

// The first branch whose open kernel modules NVIDIA suggests (data/packages.toml).
constexpr uint32_t kFirstOpenBranch = 560;

const PlannedPackage* FromApt(const report::Plan& plan, report::PackageRole role) {
  const auto found = std::ranges::find_if(plan.packages, [&](const PlannedPackage& package) {
    return package.role == role && package.channel.kind == report::ChannelKind::kNvidiaApt;
  });
  return found == plan.packages.end() ? nullptr : &*found;
}

// "9.5.1" -> "9.5.1.17" as packages are numbered; any build where that number is not known.
std::string BuildOf(const Version& cudnn) {
  if (cudnn.parts.size() > 3) return cudnn.ToString();
  for (const knowledge::CudnnRelease* row : knowledge::FindCudnn(cudnn)) {
    if (!row->build.empty() && knowledge::Known(row->version) == cudnn) return std::string(row->build);
  }
  return cudnn.ToString() + ".*";
}

// {version} is filled here, because a build may be a pattern; which minor release of CUDA a cuDNN 8 was made
// with is not known, so any of the major is taken.
std::string Pin(const knowledge::PackageName& row, const knowledge::Blanks& blanks) {
  std::string form(row.version);
  const auto replace = [&](std::string_view blank, const std::string& text) {
    const size_t at = form.find(blank);
    if (at != std::string::npos) form.replace(at, blank.size(), text);
  };
  replace("{version}", BuildOf(blanks.version));
  replace("{cuda}", std::to_string(blanks.cuda.part(0)) + ".*");
  return knowledge::FillIn(row.name, blanks) + (form.empty() ? "" : "=" + knowledge::FillIn(form, blanks));
}

}  // namespace

std::string AptRepository(const std::string& distribution, Machine machine) {
  return "https://developer.download.nvidia.com/compute/cuda/repos/" + distribution +
         (machine == Machine::kLinuxArm ? "/sbsa" : "/x86_64");
}

std::vector<report::Command> AddAptRepository(const Host& host) {
  const std::string here = host.wsl ? "wsl-ubuntu" : "$(. /etc/os-release; echo $ID$VERSION_ID | tr -d .)";
  const report::Command keyring = report::FromTable(kKeyring);
  return {"wget " + report::FromTable(AptRepository(here, host.machine)) + "/" + keyring,
          "sudo dpkg -i " + keyring, "sudo apt-get update"};
}

std::vector<std::string> AptToolkit(const std::string& version) {
  const auto cuda = Version::Parse(version);
  if (!cuda || cuda->parts.size() < 2) return {};
  const knowledge::PackageName* row = knowledge::FindPackageName("apt", "cuda", *cuda, "nvidia");
  if (row == nullptr) return {};
  return {knowledge::FillIn(row->name, {.version = *cuda, .cuda = *cuda, .variant = ""})};
}

std::vector<std::string> AptCudnn(const report::Plan& plan) {
  const PlannedPackage* planned = FromApt(plan, report::PackageRole::kCudnn);
  const PlannedPackage* toolkit = FromApt(plan, report::PackageRole::kToolkit);
  if (planned == nullptr || toolkit == nullptr) return {};
  const auto cudnn = Version::Parse(planned->version), cuda = Version::Parse(toolkit->version);
  if (!cudnn || !cuda) return {};
  std::vector<std::string> names;
  for (const std::string_view what : {"cudnn", "cudnn-dev"}) {
    const knowledge::PackageName* row = knowledge::FindPackageName("apt", what, *cudnn, "nvidia");
    if (row != nullptr) names.push_back(Pin(*row, {.version = *cudnn, .cuda = *cuda, .variant = ""}));
  }
  return names;
}

std::vector<std::string> AptDriver(const std::string& lowest, const Host& host) {
  const auto version = Version::Parse(lowest);
  if (!version || host.gpus.empty()) return {};
  const auto fits = [&](const knowledge::DriverBranch& row) {
    const Version branch{{row.branch}};
    return row.branch >= version->part(0) && std::ranges::all_of(host.gpus, [&](const Version& gpu) {
             return knowledge::DriverDrives(branch, gpu).verdict == knowledge::Verdict::kYes;
           });
  };
  // A long-lived branch comes before a newer short-lived one.
  const knowledge::DriverBranch* chosen = nullptr;
  bool kept = false;
  for (const knowledge::DriverBranch& row : knowledge::DriverBranches()) {
    const bool long_lived = row.status.starts_with("Long Term") || row.status.starts_with("Production");
    if ((kept && !long_lived) || !fits(row)) continue;
    chosen = &row;
    kept = long_lived;
  }
  if (chosen == nullptr) return {};
  const Version branch{{chosen->branch}};
  const bool open = chosen->branch >= kFirstOpenBranch &&
                    std::ranges::all_of(host.gpus, [](const Version& gpu) { return gpu >= Version{{7, 5}}; });
  const auto* name = knowledge::FindPackageName("apt", open ? "driver-open" : "driver", branch, "nvidia");
  if (name == nullptr) return {};
  const knowledge::Blanks blanks{.version = branch, .cuda = branch, .variant = ""};
  std::vector<std::string> names;
  if (!name->pin.empty()) names.push_back(knowledge::FillIn(name->pin, blanks));
  names.push_back(knowledge::FillIn(name->name, blanks));
  return names;
}

std::string UbuntuWith(const std::string& cuda) {
  const auto wanted = Version::Parse(cuda);
  std::string_view system;
  // NVIDIA's own images install from these repositories. A release without an image: the newest with one.
  for (const knowledge::ContainerImage& image : knowledge::ContainerImages()) {
    if (image.systems.empty()) continue;
    system = image.systems.back();
    if (wanted && knowledge::MinorOf(knowledge::Known(image.cuda)) == knowledge::MinorOf(*wanted)) break;
  }
  return std::string(system.substr(std::min(system.size(), std::string_view("ubuntu").size())));
}

}  // namespace culprit::plan

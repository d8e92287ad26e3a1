// What goes with a driver, a GPU, or a Python.
#include <algorithm>

#include "compat/goes_with/goes_with.h"
#include "compat/words.h"
#include "knowledge/arch.h"
#include "knowledge/cudnn.h"
#include "knowledge/driver.h"
#include "knowledge/packages/release.h"

namespace culprit::compat {
namespace {

using base::Version;
using knowledge::Text;
using knowledge::Verdict;

// Every minor release of CUDA, oldest first.
std::vector<std::string> CudaReleases() {
  std::vector<std::string> releases;
  for (const knowledge::ToolkitRow& row : knowledge::Toolkits()) {
    std::string minor = knowledge::MinorOf(knowledge::Known(row.cuda)).ToString();
    if (releases.empty() || releases.back() != minor) releases.push_back(std::move(minor));
  }
  return releases;
}

std::string BranchRange(const knowledge::Capability& row) {
  const std::string first = "R" + std::to_string(row.first_driver_branch);
  if (row.last_driver_branch == 0) return first + " and newer";
  const std::string last = "R" + std::to_string(row.last_driver_branch);
  return row.first_driver_branch == 0 ? "up to " + last : first + " to " + last;
}

}  // namespace

Lines LinesOfDriver(const CompatQuestion& question) {
  Lines lines;
  const knowledge::Platform platform = question.DriverPlatform();
  const auto releases = CudaReleases();
  const auto support = [&](size_t i, knowledge::DriverSupport wanted) {
    return OfDriver(question, DriverHalf::kKernel, [&](const Version& driver) {
             const auto answer = knowledge::DriverRunsCuda(driver, releases[i], platform);
             return answer.support == wanted ? knowledge::Yes("", "") : knowledge::No("", "");
           }).verdict == Verdict::kYes;
  };
  const std::string_view source = knowledge::Toolkits().back().source;
  AddRange(lines, "CUDA",
           RangeOf(releases, [&](size_t i) { return support(i, knowledge::DriverSupport::kYes); }),
           "supports every feature", source);
  AddRange(lines, "CUDA, minor-version compatibility",
           RangeOf(releases,
                   [&](size_t i) { return support(i, knowledge::DriverSupport::kByMinorCompatibility); }),
           "runs machine code, but cannot compile PTX and lacks new features", source);
  std::vector<std::string> forward;
  for (const knowledge::ForwardCompatRow& row : knowledge::ForwardCompats()) {
    const bool listed = std::ranges::any_of(row.branches, [&](std::string_view branch) {
      return knowledge::Known(branch).part(0) == question.driver->part(0);
    });
    if (listed && platform == knowledge::Platform::kLinux) forward.emplace_back(row.cuda);
  }
  AddRange(lines, "CUDA with cuda-compat", RangeOf(forward, [](size_t) { return true; }),
           "forward compatibility: on data-center GPUs, with the cuda-compat package of that release",
           forward.empty() ? "" : knowledge::ForwardCompats().back().source);
  if (const knowledge::PtxIsa* isa = knowledge::NewestPtxOfDriver(*question.driver)) {
    lines.push_back({.what = "PTX ISA",
                     .range = "up to " + Text(isa->isa),
                     .why = "of CUDA " + Text(isa->first_cuda),
                     .source = Text(isa->source)});
  }
  AddGpus(lines, [&](const Version& cc) {
    return OfDriver(question, DriverHalf::kKernel, [&](const Version& driver) {
             return knowledge::DriverDrives(driver, cc, platform);
           }).verdict == Verdict::kYes;
  });
  AddFrameworks(lines, question.machine, [&](const knowledge::Build& build) {
    return OfDriver(question, DriverHalf::kKernel, [&](const Version& driver) {
             return knowledge::BuildOnDriver(build, driver, platform);
           }).verdict == Verdict::kYes;
  });
  return lines;
}

Lines LinesOfGpu(const CompatQuestion& question) {
  Lines lines;
  const Version& cc = *question.cc;
  const knowledge::Capability* row = knowledge::FindCapability(cc);
  if (row == nullptr) return lines;
  if (!row->jetson && (row->first_driver_branch != 0 || row->last_driver_branch != 0))
    lines.push_back({.what = "driver", .range = BranchRange(*row), .source = Text(row->source)});
  if (row->jetson)
    lines.push_back({.what = "driver", .range = "the one of its JetPack", .source = Text(row->source)});
  const auto releases = CudaReleases();
  AddRange(
      lines, "CUDA toolkit",
      RangeOf(releases,
              [&](size_t i) { return knowledge::ToolkitTargets(releases[i], cc).verdict == Verdict::kYes; }),
      "compiles for it", row->source);
  std::vector<const knowledge::CudnnRelease*> cudnns;
  std::vector<std::string> versions;
  for (const knowledge::CudnnRelease& cudnn : knowledge::CudnnReleases()) {
    if (!versions.empty() && versions.back() == cudnn.version) continue;
    cudnns.push_back(&cudnn);
    versions.emplace_back(cudnn.version);
  }
  AddRange(lines, "cuDNN",
           RangeOf(versions,
                   [&](size_t i) {
                     return std::ranges::any_of(cudnns[i]->cuda_builds, [&](std::string_view build) {
                       return knowledge::CudnnForGpu(*cudnns[i], knowledge::Known(build), cc).verdict ==
                              Verdict::kYes;
                     });
                   }),
           "at least one build supports it", knowledge::CudnnReleases().back().source);
  AddFrameworks(lines, question.machine, [&](const knowledge::Build& build) {
    return knowledge::BuildOnGpu(build, cc, nullptr).verdict == Verdict::kYes &&
           knowledge::SystemForBuild(build, cc, nullptr, question.DriverPlatform()).verdict == Verdict::kYes;
  });
  return lines;
}

Lines LinesOfPython(const CompatQuestion& question) {
  Lines lines;
  AddFrameworks(lines, question.machine, [&](const knowledge::Build& build) {
    return knowledge::BuildOnPython(build, *question.python).verdict == Verdict::kYes &&
           knowledge::RequirementsOnPython(build, *question.python).verdict == Verdict::kYes;
  });
  return lines;
}

}  // namespace culprit::compat

// What goes with a CUDA release.
#include <algorithm>

#include "compat/goes_with/goes_with.h"
#include "compat/words.h"
#include "knowledge/arch.h"
#include "knowledge/cudnn.h"
#include "knowledge/driver.h"
#include "knowledge/host_compilers.h"
#include "knowledge/packages/release.h"

namespace culprit::compat {
namespace {

using base::Version;
using knowledge::Text;
using knowledge::ToolkitRow;
using knowledge::Verdict;

void AddDrivers(const CompatQuestion& question, const ToolkitRow& row, Lines& lines) {
  struct Floors {
    knowledge::Platform platform;
    std::string_view name, native, compatible;
  };
  const Floors all[] = {
      {knowledge::Platform::kLinux, "Linux", row.min_driver_linux, row.compat_min_linux},
      {knowledge::Platform::kWindows, "Windows", row.min_driver_windows, row.compat_min_windows}};
  for (const Floors& floors : all) {
    if (question.platform_given && floors.platform != question.DriverPlatform()) continue;
    const std::string what = "driver on " + Text(floors.name);
    if (!floors.native.empty()) {
      lines.push_back({.what = what,
                       .range = Text(floors.native) + " and newer",
                       .why = "supports every feature",
                       .source = Text(row.source)});
    }
    if (floors.compatible.empty() || floors.compatible == floors.native) continue;
    lines.push_back({.what = what + ", minor-version compatibility",
                     .range = Text(floors.compatible) + " and newer",
                     .why = "runs its machine code, but cannot compile its PTX and lacks its new features",
                     .source = Text(row.source)});
  }
}

std::string UpTo(std::string_view lowest, std::string_view newest) {
  return (lowest.empty() ? "up to " : Text(lowest) + " to ") + Text(newest);
}

void AddCompilers(const Version& cuda, Lines& lines) {
  const knowledge::NvccRow* row = knowledge::FindNvcc(cuda);
  if (row == nullptr) return;
  if (!row->gcc_max.empty())
    lines.push_back({.what = "gcc", .range = UpTo(row->gcc_min, row->gcc_max), .source = Text(row->source)});
  if (!row->clang_max.empty())
    lines.push_back(
        {.what = "clang", .range = UpTo(row->clang_min, row->clang_max), .source = Text(row->source)});
  if (row->msvc_below != 0) {
    lines.push_back(
        {.what = "MSVC",
         .range = "_MSC_VER " + std::to_string(row->msvc_min) + " to " + std::to_string(row->msvc_below - 1),
         .why = Text(row->visual_studio),
         .source = Text(row->source)});
  }
}

// A build that brings its own CUDA goes with this one if it was built with it; others load what is installed.
bool GoesWithToolkit(const knowledge::Build& build, const Version& cuda) {
  const knowledge::LibrariesFrom from = knowledge::LibrariesOf(build.row, build.machine);
  const bool brings =
      from == knowledge::LibrariesFrom::kBundled || from == knowledge::LibrariesFrom::kNvidiaPip;
  if (brings && knowledge::MinorOf(knowledge::Known(build.row.cuda)) != knowledge::MinorOf(cuda))
    return false;
  return knowledge::FrameworkWithCuda(build.row, cuda, knowledge::PlatformOf(build.machine)).verdict ==
         Verdict::kYes;
}

// "12" -> the newest 12.x.
Version ReleaseOf(const Version& asked) {
  if (asked.parts.size() > 1) return asked;
  Version newest = asked;
  for (const ToolkitRow& row : knowledge::Toolkits()) {
    const Version version = knowledge::Known(row.cuda);
    if (version.part(0) == asked.part(0) && !row.preview) newest = knowledge::MinorOf(version);
  }
  return newest;
}

}  // namespace

Lines LinesOfCudaCompat(const Version& cuda) {
  Lines lines;
  for (const knowledge::ForwardCompatRow& row : knowledge::ForwardCompats()) {
    if (knowledge::Known(row.cuda) != knowledge::MinorOf(cuda)) continue;
    report::GoesWith line{.what = "driver branch with cuda-compat",
                          .why =
                              "forward compatibility: on data-center GPUs under Linux, with the cuda-compat "
                              "package of this release",
                          .source = Text(row.source)};
    for (const std::string_view branch : row.branches) line.values.emplace_back(branch);
    lines.push_back(std::move(line));
  }
  return lines;
}

void ListOfCuda(const CompatQuestion& question, report::CompatAnswer& answer) {
  const Version cuda = ReleaseOf(*question.cuda);
  if (cuda != *question.cuda)
    answer.notes.push_back("CUDA " + question.cuda->ToString() + " is read as " + cuda.ToString());
  const ToolkitRow* row = knowledge::FindToolkit(cuda.ToString());
  if (row == nullptr) return;
  Lines& lines = answer.goes_with;
  AddDrivers(question, *row, lines);
  for (report::GoesWith& line : LinesOfCudaCompat(cuda)) lines.push_back(std::move(line));
  if (const knowledge::PtxIsa* isa = knowledge::PtxOfCuda(cuda.ToString())) {
    lines.push_back(
        {.what = "PTX ISA",
         .range = Text(isa->isa),
         .why = "drivers R" + std::to_string(isa->first_driver_branch) + " and newer can compile it",
         .source = Text(isa->source)});
  }
  AddGpus(lines, [&](const Version& cc) {
    return knowledge::ToolkitTargets(cuda.ToString(), cc).verdict == Verdict::kYes;
  });
  AddCompilers(cuda, lines);
  std::vector<std::string> releases;
  for (const knowledge::CudnnRelease& cudnn : knowledge::CudnnReleases()) {
    if (releases.empty() || releases.back() != cudnn.version) releases.emplace_back(cudnn.version);
  }
  AddRange(lines, "cuDNN",
           RangeOf(releases,
                   [&](size_t i) {
                     return knowledge::CudnnForCuda(knowledge::Known(releases[i]), cuda).verdict ==
                            Verdict::kYes;
                   }),
           "", knowledge::CudnnReleases().back().source);
  AddFrameworks(lines, question.machine,
                [&](const knowledge::Build& build) { return GoesWithToolkit(build, cuda); });
}

}  // namespace culprit::compat

// What goes with a cuDNN release, or with a host compiler.
#include <algorithm>

#include "compat/goes_with/goes_with.h"
#include "knowledge/arch.h"
#include "knowledge/cudnn.h"
#include "knowledge/host_compilers.h"
#include "knowledge/packages/release.h"

namespace culprit::compat {
namespace {

using base::Version;
using knowledge::Answer;
using knowledge::Text;
using knowledge::Verdict;

void AddDriverFloors(const CompatQuestion& question, const Version& cudnn, Lines& lines) {
  for (const knowledge::CudnnDriverFloor& row : knowledge::CudnnDriverFloors()) {
    const Version first = knowledge::Known(row.cudnn_first), last = knowledge::Known(row.cudnn_last);
    if (cudnn < first || (cudnn > last && !knowledge::BeginsWith(cudnn, last))) continue;
    const bool windows = question.DriverPlatform() == knowledge::Platform::kWindows;
    if (!row.linux.empty() && !(question.platform_given && windows)) {
      lines.push_back({.what = "driver on Linux, for CUDA " + Text(row.cuda),
                       .range = Text(row.linux) + " and newer",
                       .source = Text(row.source)});
    }
    if (!row.windows.empty() && (windows || !question.platform_given)) {
      lines.push_back({.what = "driver on Windows, for CUDA " + Text(row.cuda),
                       .range = Text(row.windows) + " and newer",
                       .source = Text(row.source)});
    }
  }
}

}  // namespace

Lines LinesOfCudnn(const CompatQuestion& question) {
  Lines lines;
  const Version& cudnn = *question.cudnn;
  const auto rows = knowledge::FindCudnn(cudnn);
  if (rows.empty()) return lines;
  const Version newest = knowledge::Known(rows.back()->version);
  std::vector<std::string> cudas;
  for (const knowledge::CudnnRelease* row : rows) {
    for (const std::string_view build : row->cuda_builds) {
      const std::string name = Text(build) + (build.find('.') == std::string_view::npos ? ".x" : "");
      if (std::ranges::find(cudas, name) == cudas.end()) cudas.push_back(name);
    }
  }
  if (!cudas.empty()) {
    lines.push_back(
        {.what = "CUDA", .values = cudas, .why = "has a build for it", .source = Text(rows.back()->source)});
  }
  AddDriverFloors(question, newest, lines);
  AddGpus(lines, [&](const Version& cc) {
    return std::ranges::any_of(rows.back()->cuda_builds, [&](std::string_view build) {
      return knowledge::CudnnForGpu(*rows.back(), knowledge::Known(build), cc).verdict == Verdict::kYes;
    });
  });
  AddFrameworks(lines, question.machine, [&](const knowledge::Build& build) {
    const std::string_view own = knowledge::CudnnOf(build.row, build.machine);
    return !own.empty() && own != "none" && knowledge::BeginsWith(knowledge::Known(own), cudnn);
  });
  for (report::GoesWith& line : lines) {
    const bool framework = !knowledge::FrameworkName(line.what).empty();
    if (framework) line.why = "built with it" + (line.why.empty() ? "" : ", " + line.why);
  }
  return lines;
}

Lines LinesOfCompiler(const CompatQuestion& question) {
  const auto fits = [&](const Version& cuda) {
    if (question.gcc) return knowledge::GccFits(cuda, *question.gcc).verdict == Verdict::kYes;
    if (question.clang) return knowledge::ClangFits(cuda, *question.clang).verdict == Verdict::kYes;
    return knowledge::MsvcFits(cuda, *question.msvc).verdict == Verdict::kYes;
  };
  std::vector<std::string> releases;
  std::string_view source;
  for (const knowledge::NvccRow& row : knowledge::NvccRows()) {
    releases.emplace_back(row.cuda);
    if (fits(knowledge::Known(row.cuda))) source = row.source;
  }
  Lines lines;
  AddRange(lines, "CUDA", RangeOf(releases, [&](size_t i) { return fits(knowledge::Known(releases[i])); }),
           "its nvcc accepts this compiler", source);
  return lines;
}

}  // namespace culprit::compat

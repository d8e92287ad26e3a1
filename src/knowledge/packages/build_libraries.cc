// The CUDA libraries and the cuDNN that a build of a framework loads, on a GPU and with a driver.
#include <algorithm>
#include <string>

#include "knowledge/arch.h"
#include "knowledge/cudnn.h"
#include "knowledge/packages/builds.h"
#include "knowledge/packages/pins.h"
#include "knowledge/packages/release.h"

namespace culprit::knowledge {
namespace {

using base::Version;

// Whether a build brings one cuDNN and no other.
bool BringsOneCudnn(const Build& build) {
  const LibrariesFrom from = LibrariesOf(build.row, build.machine);
  return from == LibrariesFrom::kBundled || from == LibrariesFrom::kNvidiaPip ||
         (from == LibrariesFrom::kExtra && build.row.cudnn_below.empty());
}

// A cuDNN for a toolkit that the build takes and that runs on the GPU; the best answer of all.
Answer AnyCudnn(const Build& build, const Version& cuda, const Version& cc) {
  const std::string_view own = CudnnOf(build.row, build.machine);
  if (own.empty() || own == "none") return Yes("", build.row.source);
  Answer best =
      No("no cuDNN that " + NameOf(build) + " loads has code for compute capability " + cc.ToString(),
         build.row.source);
  bool any = false;
  for (const CudnnRelease& row : CudnnReleases()) {
    const Version cudnn = Known(row.version);
    if (FrameworkWithCudnn(build.row, cudnn, PlatformOf(build.machine)).verdict != Verdict::kYes) continue;
    if (!IsBuiltFor(row, cuda)) continue;
    any = true;
    Answer answer = CudnnForGpu(row, cuda, cc);
    if (answer.verdict == Verdict::kYes) return answer;
    if (answer.verdict == Verdict::kUnknown) best = std::move(answer);
  }
  if (any) return best;
  return Unknown("no cuDNN " + Text(own) + " for CUDA " + cuda.ToString() + " is in the table",
                 build.row.source);
}

}  // namespace

std::string NameOf(const Build& build) {
  const bool suffix = !build.row.variant.empty() && !IsNamedByVariant(build);
  return Text(build.distribution) + " " + Text(build.version) + (suffix ? "+" + Text(build.row.variant) : "");
}

bool IsNamedByVariant(const Build& build) {
  return build.row.framework == "cupy" || build.distribution.ends_with("-" + Text(build.row.variant));
}

bool ServedByWheels(const Build& build) {
  if (build.machine == Machine::kWindows) return false;
  if (build.row.framework == "cupy") return FindPin(build.distribution, build.version, "ctk") != nullptr;
  if (build.row.framework != "ctranslate2") return false;
  const auto wheels = DistributionsOf("nvidia-cublas-cu" + std::to_string(Known(build.row.cuda).part(0)));
  return std::ranges::any_of(wheels, [&](const Distribution& wheel) {
    return wheel.platform == PlatformTag(build.machine) || wheel.platform == "any";
  });
}

bool LoadsFromSystem(const Build& build) {
  return LibrariesOf(build.row, build.machine) == LibrariesFrom::kSystem && !build.row.cuda.empty() &&
         !ServedByWheels(build);
}

Version CudaLoaded(const Build& build) {
  const FrameworkRelease& row = build.row;
  const Version own = Known(row.cuda);
  const bool of_system = LibrariesOf(row, build.machine) == LibrariesFrom::kSystem;
  if (!of_system && row.cuda_until.empty()) return own;
  const Version last = row.cuda_until.empty() ? Version{{own.part(0)}} : Known(row.cuda_until);
  Version newest = own;
  for (const ToolkitRow& toolkit : Toolkits()) {
    const Version version = Known(toolkit.cuda);
    if (version > newest && (version <= last || BeginsWith(version, last))) newest = version;
  }
  return newest;
}

Answer CudaLibrariesOnGpu(const Version& release, const Version& cc) {
  const Version cuda = MinorOf(release);
  const std::string name = cuda.ToString() + ", which ";
  const std::string gpu = "compute capability " + cc.ToString();
  const Capability* dropped = nullptr;
  const Capability* later = nullptr;
  for (const Capability& row : Capabilities()) {
    const Version target = Known(row.cc);
    if (target.part(0) != cc.part(0) || target > cc || (row.jetson && target != cc)) continue;
    const bool before = cuda < Known(row.first_cuda);
    const bool after = !row.last_cuda.empty() && cuda > Known(row.last_cuda);
    if (!before && !after) return Yes(name + "has code for " + gpu, row.source);
    (after ? dropped : later) = &row;
  }
  if (dropped != nullptr) return No(name + "no longer has code for " + gpu, dropped->source);
  return Unknown(name + "is older than " + gpu + "; whether its libraries run there is not known",
                 later == nullptr ? "" : later->source);
}

Answer CudnnOfBuildOnGpu(const Build& build, const Version& cc) {
  const std::string_view own = CudnnOf(build.row, build.machine);
  if (own == "none") return Yes(NameOf(build) + " does not need cuDNN", build.row.source);
  const Answer not_known =
      Unknown("the cuDNN of " + NameOf(build) + " is not in the table", build.row.source);
  if (own.empty() || build.row.cuda.empty()) return not_known;
  const Version wanted = Known(own), cuda{{Known(build.row.cuda).part(0)}};
  if (BringsOneCudnn(build) && wanted.parts.size() > 2) return CudnnForGpu(wanted, cuda, cc);
  // Any later one of the major: new GPUs come, old ones go.
  Answer answer = not_known;
  for (const CudnnRelease& row : CudnnReleases()) {
    const Version version = Known(row.version);
    if (version.part(0) != wanted.part(0) || (version < wanted && !BeginsWith(wanted, version))) continue;
    const bool built = std::ranges::any_of(
        row.cuda_builds, [&](std::string_view of) { return Known(of).part(0) == cuda.part(0); });
    if (!built) continue;
    answer = CudnnForGpu(row, cuda, cc);
    if (answer.verdict != Verdict::kNo) break;
  }
  return answer;
}

Answer SystemForBuild(const Build& build, const Version& cc, const Version* driver, Platform platform) {
  const std::string loads = NameOf(build) + " loads CUDA from the system";
  if (!LoadsFromSystem(build)) return Yes(NameOf(build) + " brings its CUDA libraries", build.row.source);
  Answer best = Unknown("no CUDA that " + NameOf(build) + " loads is in the table", build.row.source);
  bool any = false;
  for (const ToolkitRow& row : Toolkits()) {
    const Version cuda = Known(row.cuda);
    if (FrameworkWithCuda(build.row, cuda, PlatformOf(build.machine)).verdict != Verdict::kYes) continue;
    Answer answer = CudaLibrariesOnGpu(cuda, cc);
    answer.why = loads + ", CUDA " + answer.why;
    if (answer.verdict == Verdict::kYes && driver != nullptr) answer = DriverForCuda(*driver, cuda, platform);
    if (answer.verdict == Verdict::kYes) answer = AnyCudnn(build, cuda, cc);
    if (answer.verdict == Verdict::kYes) return answer;
    if (!any || answer.verdict == Verdict::kUnknown) best = std::move(answer);
    any = true;
  }
  return best;
}

}  // namespace culprit::knowledge

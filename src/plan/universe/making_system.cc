// The toolkit and the cuDNN of the system, for frameworks that load what the machine has, and for those who
// want them as such.
#include <algorithm>

#include "knowledge/arch.h"
#include "knowledge/cudnn.h"
#include "knowledge/driver.h"
#include "knowledge/packages/pins.h"
#include "knowledge/packages/release.h"
#include "plan/commands/in_order.h"
#include "plan/universe/making.h"

namespace culprit::plan {
namespace {

using base::Version;
using knowledge::Answer;
using knowledge::Verdict;

report::Channel SystemChannel(Machine machine) {
  return machine == Machine::kWindows ? report::ChannelKind::kNvidiaInstaller
                                      : report::ChannelKind::kNvidiaApt;
}

}  // namespace

size_t Making::AddToolkit() {
  // Who asks for a toolkit compiles with it; a framework only loads its libraries.
  const bool compiles =
      std::ranges::any_of(question_.wants, [](const Want& want) { return want.name == "cuda"; });
  std::vector<Candidate> candidates;
  for (const knowledge::ToolkitRow& row : knowledge::Toolkits()) {
    if (row.preview) continue;
    Candidate candidate;
    candidate.distribution = "cuda-toolkit";
    candidate.version = row.cuda;
    candidate.number = knowledge::Known(row.cuda);
    candidate.channel = SystemChannel(question_.host.machine);
    candidate.source = row.source;
    candidate.native = NativeOn(row.cuda);
    candidate.needs.push_back(DriverNeed(std::string(row.cuda)));
    for (const size_t gpu : gpus_) {
      const Version& cc = universe_.at(gpu, 0).number;
      const Answer answer = compiles ? knowledge::ToolkitTargets(row.cuda, cc)
                                     : knowledge::CudaLibrariesOnGpu(candidate.number, cc);
      candidate.needs.push_back(
          FactNeed(gpu, answer, (compiles ? "compiles for " : "has code for ") + GpuName(cc),
                   (compiles ? "does not compile for " : "no code for ") + GpuName(cc)));
    }
    if (cuda_asked_ != kNone) {
      const bool fits = knowledge::BeginsWith(candidate.number, *question_.cuda);
      candidate.needs.push_back(FactNeed(cuda_asked_, {fits ? Verdict::kYes : Verdict::kNo, "", "--cuda"},
                                         "is CUDA " + question_.cuda->ToString(),
                                         "not for CUDA " + question_.cuda->ToString()));
    }
    candidates.push_back(std::move(candidate));
  }
  // Newest first, and before all those whose PTX and new features the driver lacks.
  std::ranges::reverse(candidates);
  SortInOrder(candidates, [](const Candidate& a, const Candidate& b) { return a.native && !b.native; });
  universe_.packages.push_back({"cuda-toolkit", PackageRole::kToolkit, std::move(candidates)});
  return made_["cuda-toolkit"] = universe_.packages.size() - 1;
}

size_t Making::AddSystemCudnn() {
  const size_t toolkit = PackageNamed("cuda-toolkit");
  const auto& toolkits = universe_.packages[toolkit].candidates;
  std::vector<Candidate> candidates;
  for (const knowledge::CudnnRelease& row : knowledge::CudnnReleases()) {
    for (const std::string_view build : row.cuda_builds) {
      Candidate candidate;
      candidate.distribution = "cudnn";
      candidate.version = row.version;
      candidate.number = knowledge::Known(row.version);
      candidate.variant = "cuda" + std::string(build);
      candidate.channel = SystemChannel(question_.host.machine);
      candidate.source = row.source;
      const Version cuda = knowledge::Known(build);
      candidate.needs.push_back(MajorNeed(cudnn_major_, candidate.number.part(0), "cuDNN", row.source));
      candidate.needs.push_back(MajorNeed(cuda_major_, cuda.part(0), "the cuDNN for CUDA", row.source));
      Need need{.package = toolkit, .words = "is for CUDA " + std::string(build)};
      need.fails = need.words;
      need.source = row.source;
      // From CUDA 11 on a build is for its whole major.
      const bool whole = cuda.part(0) >= 11 && builds_.CudnnHasBuild(row.version, cuda.part(0));
      for (size_t i = 0; i < toolkits.size(); ++i) {
        if (toolkits[i].number.part(0) != cuda.part(0)) continue;
        if (whole || knowledge::MinorOf(toolkits[i].number) == cuda) need.accepts.push_back(i);
      }
      candidate.needs.push_back(std::move(need));
      for (const size_t gpu : gpus_) {
        const Version& cc = universe_.at(gpu, 0).number;
        const Answer& answer = builds_.CudnnOnGpu(candidate.number, cuda.part(0), cc);
        candidate.needs.push_back(FactNeed(gpu, answer, "has code for " + GpuName(cc),
                                           answer.verdict == Verdict::kUnknown
                                               ? "its GPU code is not known"
                                               : "no code for " + GpuName(cc)));
      }
      candidates.push_back(std::move(candidate));
    }
  }
  SortInOrder(candidates, [](const Candidate& a, const Candidate& b) {
    if (a.number != b.number) return a.number > b.number;
    return knowledge::Known(a.variant.substr(4)) > knowledge::Known(b.variant.substr(4));
  });
  universe_.packages.push_back({"cudnn", PackageRole::kCudnn, std::move(candidates)});
  return made_["cudnn"] = universe_.packages.size() - 1;
}

SharedNeed Making::ToolkitNeed(const Build& build) {
  const std::string key = std::string(build.row.cuda) + " " + std::string(build.row.cuda_from) + " to " +
                          std::string(build.row.cuda_until);
  const auto made = toolkit_needs_.find(key);
  if (made != toolkit_needs_.end()) return made->second;
  const size_t toolkit = PackageNamed("cuda-toolkit");
  const base::Platform platform = PlatformOf(question_.host.machine);
  const Version built = knowledge::Known(build.row.cuda);
  Need need{.package = toolkit};
  const auto& toolkits = universe_.packages[toolkit].candidates;
  for (size_t i = 0; i < toolkits.size(); ++i) {
    const Answer answer = knowledge::FrameworkWithCuda(build.row, toolkits[i].number, platform);
    if (answer.verdict != Verdict::kYes) continue;
    need.accepts.push_back(i);
    const bool tested =
        built.parts.size() > 1 && knowledge::MinorOf(built) == knowledge::MinorOf(toolkits[i].number);
    if (tested) need.prefers.push_back(i);
  }
  // One that is there is as good as any other that fits.
  std::vector<size_t> present;
  for (const size_t i : need.accepts) {
    if (IsHere(question_.host, toolkits[i].number)) present.push_back(i);
  }
  if (!present.empty()) need.prefers = present;
  need.words = "loads the libraries of CUDA " +
               (build.row.cuda_until.empty() ? built.ToString() : std::to_string(built.part(0))) +
               " from the system";
  need.fails = need.words;
  need.source = build.row.source;
  return toolkit_needs_[key] = std::make_shared<const Need>(std::move(need));
}

SharedNeed Making::SystemCudnnNeed(const Build& build, std::string_view cudnn) {
  const std::string key = std::string(cudnn) + " below " + std::string(build.row.cudnn_below);
  const auto made = cudnn_needs_.find(key);
  if (made != cudnn_needs_.end()) return made->second;
  const size_t system = PackageNamed("cudnn");
  const base::Platform platform = PlatformOf(question_.host.machine);
  Need need{.package = system};
  const auto& releases = universe_.packages[system].candidates;
  const Version wanted = knowledge::Known(cudnn);
  Verdict verdict = Verdict::kUnknown;
  const Candidate* asked = nullptr;
  for (size_t i = 0; i < releases.size(); ++i) {
    if (asked == nullptr || asked->number != releases[i].number)
      verdict = knowledge::FrameworkWithCudnn(build.row, releases[i].number, platform).verdict;
    asked = &releases[i];
    if (verdict != Verdict::kYes) continue;
    need.accepts.push_back(i);
    if (wanted.parts.size() > 1 && knowledge::MinorOf(wanted) == knowledge::MinorOf(releases[i].number))
      need.prefers.push_back(i);
  }
  need.words = "loads cuDNN " + wanted.ToString() +
               (wanted.parts.size() > 1 ? " or newer with the same major version" : "") + " from the system";
  need.fails = need.words;
  need.source = build.row.source;
  return cudnn_needs_[key] = std::make_shared<const Need>(std::move(need));
}

// The wheels that serve a framework which takes what the machine has.
bool Making::NeedWheels(const Build& build, Candidate& candidate) {
  if (!knowledge::ServedByWheels(build)) return false;
  if (build.row.framework == "cupy") {
    // Any release of its CUDA: which one has wheels for this machine, pip finds out.
    candidate.extra = "ctk";
    return true;
  }
  const std::string major = std::to_string(knowledge::Known(build.row.cuda).part(0));
  NeedVersions("nvidia-cublas-cu" + major, "", build.row.source, candidate);
  const std::string_view cudnn = CudnnOf(build.row, question_.host.machine);
  if (!cudnn.empty() && cudnn != "none") {
    const uint32_t first = knowledge::Known(cudnn).part(0);
    NeedVersions("nvidia-cudnn-cu" + major, ">=" + std::to_string(first) + ",<" + std::to_string(first + 1),
                 build.row.source, candidate);
  }
  return true;
}

void Making::NeedSystem(const Build& build, Candidate& candidate) {
  if (build.row.cuda.empty() || NeedWheels(build, candidate)) return;
  candidate.needs.push_back(ToolkitNeed(build));
  const std::string_view cudnn = CudnnOf(build.row, question_.host.machine);
  if (!cudnn.empty() && cudnn != "none") candidate.needs.push_back(SystemCudnnNeed(build, cudnn));
}

}  // namespace culprit::plan

// Builds of frameworks as candidates. Each bound is what a function of knowledge/ answers.
#include <algorithm>

#include "base/python/pep440.h"
#include "knowledge/arch.h"
#include "knowledge/cudnn.h"
#include "knowledge/packages/projects.h"
#include "knowledge/packages/release.h"
#include "plan/project/asking.h"
#include "plan/universe/making.h"

namespace culprit::plan {
namespace {

using base::Version;
using knowledge::Answer;
using knowledge::CodeFit;
using knowledge::FrameworkRelease;
using knowledge::LibrariesFrom;
using knowledge::Verdict;

bool BringsItsOwn(LibrariesFrom from) {
  return from == LibrariesFrom::kBundled || from == LibrariesFrom::kNvidiaPip;
}

// Why a build does not work on a GPU.
std::string GpuFails(BuildTable& builds, const Build& build, const Version& cc, const Answer& answer,
                     CodeFit fit) {
  if (answer.verdict == Verdict::kYes) return "";
  const std::string name = GpuName(cc);
  if (answer.verdict == Verdict::kUnknown)
    return fit == CodeFit::kUnknown ? "its GPU code is not known" : "may not work on " + name;
  if (fit != CodeFit::kMachineCode && fit != CodeFit::kPtx) {
    return "no code for " + name;
  }
  if (!builds.CudnnForbids(build, cc)) return "does not work on " + name;
  Version cudnn = knowledge::Known(CudnnOf(build.row, build.machine));
  cudnn.parts.resize(std::min<size_t>(cudnn.parts.size(), 3));
  return "its cuDNN " + cudnn.ToString() + " has no code for " + name;
}

// All Pythons that a build is for.
std::vector<Version> PythonsOf(BuildTable& builds, const Build& build) {
  constexpr uint32_t kFirst = 5, kLast = 16;
  std::vector<Version> pythons;
  for (uint32_t minor = kFirst; minor <= kLast; ++minor) {
    if (Version python{{3, minor}}; builds.OnPython(build, python).verdict == Verdict::kYes)
      pythons.push_back(std::move(python));
  }
  return pythons;
}

// Whether the extra brings nothing but libraries, so that the wheel has its GPU code without it: tensorflow,
// not jax.
bool HasLibrariesInExtra(const Build& build) {
  if (LibrariesOf(build.row, build.machine) != LibrariesFrom::kExtra) return false;
  const knowledge::Pin* pin = knowledge::FindPin(build.distribution, build.version, build.extra);
  return pin != nullptr &&
         std::ranges::all_of(pin->needs, [](std::string_view need) { return need.starts_with("nvidia-"); });
}

}  // namespace

size_t Making::AddFramework(const std::string& name) {
  universe_.packages.push_back({name, PackageRole::kFramework, {}});
  const size_t package = made_[name] = universe_.packages.size() - 1;
  std::vector<Candidate> candidates;
  const std::vector<Build>& builds = builds_.Of(name, question_.host.machine);
  for (const Build& build : builds) candidates.push_back(FrameworkCandidate(build));
  // A last resort: without its extra.
  for (const Build& build : builds) {
    if (several_ == kNone || !HasLibrariesInExtra(build)) continue;
    candidates.push_back(FrameworkCandidate(build, Libraries::kOfOthers));
  }
  ApplyLimits(name, candidates);
  universe_.packages[package].candidates = std::move(candidates);
  return package;
}

// A file of conda asks for a CUDA of which no release that is asked for has a build on the index of wheels:
// any of its major.
bool Making::StandsForCuda(const Build& build) {
  const Version& asked = *question_.cuda;
  if (question_.cuda_words.empty() || knowledge::Known(build.row.cuda).part(0) != asked.part(0)) return false;
  const auto wanted = [&](const Build& other) {
    return std::ranges::all_of(question_.wants, [&](const Want& want) {
      return want.name != build.row.framework || want.specifiers.empty() ||
             knowledge::Meets(other.number, want.specifiers) == Verdict::kYes;
    });
  };
  const std::vector<Build>& builds = builds_.Of(build.row.framework, question_.host.machine);
  return std::ranges::none_of(builds, [&](const Build& other) {
    return !other.row.cuda.empty() && knowledge::BeginsWith(knowledge::Known(other.row.cuda), asked) &&
           wanted(other);
  });
}

void Making::NeedAskedCuda(const Build& build, Candidate& candidate) {
  if (cuda_asked_ == kNone) return;
  const std::string cuda(build.row.cuda);
  const bool loads = LibrariesOf(build.row, question_.host.machine) == LibrariesFrom::kSystem;
  const Version& asked = *question_.cuda;
  const Version built = knowledge::Known(cuda);
  bool fits =
      loads ? knowledge::FrameworkWithCuda(build.row, asked, PlatformOf(question_.host.machine)).verdict ==
                  Verdict::kYes
            : knowledge::BeginsWith(built, asked) || knowledge::BeginsWith(asked, built);
  if (!fits && !loads && StandsForCuda(build)) {
    fits = true;
    candidate.remark =
        "has no wheel for CUDA " + asked.ToString() + "; the one for CUDA " + cuda + " is used instead";
  }
  const std::string words = loads ? "loads CUDA " + asked.ToString() : "CUDA " + cuda + " inside";
  candidate.needs.push_back(FactNeed(cuda_asked_, {fits ? Verdict::kYes : Verdict::kNo, "", build.row.source},
                                     words, "not for CUDA " + asked.ToString()));
}

// What METADATA asks of other packages that are asked for, beside the libraries of CUDA, which another build
// may have in other versions.
void Making::NeedOthers(const Build& build, Candidate& candidate) {
  const std::string_view tag = PlatformTag(question_.host.machine);
  const std::string python = AssumedPython(question_.host).ToString();
  const auto holds = [](std::span<const std::string_view> list, std::string_view item) {
    return std::ranges::find(list, item) != list.end();
  };
  for (const knowledge::ProjectNeeds& row : knowledge::NeedsOf(build.distribution)) {
    if (!row.extra.empty() || !holds(row.versions, build.version)) continue;
    if (!row.platforms.empty() && !holds(row.platforms, tag)) continue;
    if (!row.python.empty() && base::Meets(python, row.python) == false) continue;
    for (const std::string_view text : row.needs) {
      const bool of_cuda = text.starts_with("nvidia-") || text.starts_with("cuda-");
      const std::string name = knowledge::TakeApart(text, "", "").name;
      const bool wanted = std::ranges::find(question_.wants, name, &Want::name) != question_.wants.end();
      if (wanted && !of_cuda) NeedText508(text, build.version, row.source, candidate);
    }
  }
}

Candidate Making::FrameworkCandidate(const Build& build, Libraries libraries) {
  Candidate candidate;
  candidate.distribution = build.distribution;
  candidate.version = build.shown;
  candidate.number = build.number;
  candidate.variant = build.row.variant;
  candidate.channel = ChannelOf(build);
  candidate.extra = build.extra;
  candidate.is_default = build.published == knowledge::PublishedOn::kPackageIndex;
  candidate.row = &build.row;
  candidate.source = build.row.source;
  if (IsLeftOut(std::string(build.row.framework), candidate)) return candidate;
  NeedMachine(build, candidate);
  if (build.row.cuda.empty() || !build.own_row) {
    candidate.needs.push_back(
        FactNeed(machine_, knowledge::Unknown("", build.row.source), "", "its CUDA version is not known"));
  }
  if (!build.row.cuda.empty()) {
    const std::string cuda(build.row.cuda);
    candidate.needs.push_back(DriverNeed(cuda));
    candidate.native = NativeOn(build.row.cuda);
    NeedAskedCuda(build, candidate);
  }
  NeedCompiledAgainst(build, candidate);
  NeedGpus(build, candidate);
  NeedCudnn(build, candidate);
  NeedOthers(build, candidate);
  if (libraries == Libraries::kOwn) {
    NeedLibraries(build, candidate);
    return candidate;
  }
  // It finds the cuDNN that another brings, and takes any from the minor release on that it was built with.
  const Version cudnn = knowledge::Known(CudnnOf(build.row, question_.host.machine));
  const std::string major = std::to_string(knowledge::Known(build.row.cuda).part(0));
  NeedVersions("nvidia-cudnn-cu" + major,
               ">=" + knowledge::MinorOf(cudnn).ToString() + ",<" + std::to_string(cudnn.part(0) + 1),
               build.row.source, candidate);
  candidate.remark = "without [" + candidate.extra +
                     "], which does not work with the other packages; it uses CUDA and cuDNN from those";
  candidate.without_extra = true;
  candidate.extra.clear();
  return candidate;
}

// Wheels that were compiled against an older major of numpy.
void Making::NeedCompiledAgainst(const Build& build, Candidate& candidate) {
  const bool windows = question_.host.machine == Machine::kWindows;
  for (const knowledge::Compiled& row : knowledge::CompiledPackages()) {
    const std::string_view below = windows && !row.below_windows.empty() ? row.below_windows : row.below;
    if (row.package != build.row.framework || build.number >= knowledge::Known(below)) continue;
    NeedText508(std::string(row.against) + "<" + std::to_string(row.major + 1), "", row.source, candidate);
  }
}

void Making::NeedMachine(const Build& build, Candidate& candidate) {
  const std::string where = MachineWords(question_.host.machine);
  const Answer answer = knowledge::BuildOnMachine(build);
  if (!build.in_table) {
    Need need{.package = machine_, .fails = "not in the table", .source = std::string(build.row.source)};
    need.missing = true;
    candidate.needs.push_back(std::move(need));
    candidate.needs.push_back(BuildPythonNeed(build));
    return;
  }
  if (answer.verdict != Verdict::kYes) {
    const bool none = answer.verdict == Verdict::kNo;
    const bool without_wheel = !build.release.empty() && build.wheel == nullptr;
    candidate.needs.push_back(FactNeed(machine_, answer, "",
                                       build.published == knowledge::PublishedOn::kUnknown
                                           ? "its package index is not known"
                                       : none && without_wheel ? "no wheel for " + where
                                       : none                  ? "no GPU support on " + where
                                              : "GPU support on " + where + " is not known"));
  }
  candidate.needs.push_back(BuildPythonNeed(build));
  if (glibc_ != kNone && build.wheel != nullptr && !build.wheel->glibc.empty()) {
    const bool met = *question_.host.glibc >= knowledge::Known(build.wheel->glibc);
    const std::string words = "needs glibc " + std::string(build.wheel->glibc) + " or newer";
    candidate.needs.push_back(
        FactNeed(glibc_, {met ? Verdict::kYes : Verdict::kNo, "", build.wheel->source}, words, words));
  }
}

// The Pythons that the build is for, as a need.
Need Making::BuildPythonNeed(const Build& build) const {
  Need need{.package = python_};
  std::vector<Version> rising;
  const auto& pythons = universe_.packages[python_].candidates;
  for (size_t i = 0; i < pythons.size(); ++i) {
    const BuildTable::PythonAnswer answer = builds_.OnPython(build, pythons[i].number);
    need.source = answer.source;
    need.unknown |= answer.verdict == Verdict::kUnknown;
    if (answer.verdict == Verdict::kYes || (answer.verdict == Verdict::kUnknown && question_.allow_unknown)) {
      need.accepts.push_back(i);
      rising.push_back(pythons[i].number);
    }
  }
  if (!need.accepts.empty()) need.unknown = false;
  if (question_.host.python && !rising.empty())
    rising = PythonsOf(builds_, build);  // also those that are not here
  std::ranges::sort(rising);
  const std::string unknown = "its Python versions are not known";
  need.words = rising.empty() ? unknown : "wheels for Python " + PythonRange(rising);
  need.fails = need.unknown ? unknown
               : question_.host.python
                   ? "no wheel for Python " + knowledge::MinorOf(*question_.host.python).ToString()
                   : need.words;
  return need;
}

void Making::NeedGpus(const Build& build, Candidate& candidate) {
  const bool windows = question_.host.machine == Machine::kWindows;
  const auto code = windows && !build.row.code_windows.empty() ? build.row.code_windows : build.row.code;
  for (const size_t gpu : gpus_) {
    const Version& cc = universe_.at(gpu, 0).number;
    const std::string name = GpuName(cc);
    const Answer& answer = builds_.OnGpu(build, cc);
    const CodeFit fit = code.empty() ? CodeFit::kUnknown : knowledge::CodeRunsOn(code, cc);
    const std::string_view has = fit == CodeFit::kPtx           ? "has PTX for "
                                 : fit == CodeFit::kMachineCode ? "has machine code for "
                                                                : "compiles for ";
    candidate.needs.push_back(
        FactNeed(gpu, answer, std::string(has) + name, GpuFails(builds_, build, cc, answer, fit)));
    if (answer.verdict == Verdict::kYes && fit == CodeFit::kPtx) NeedDriverForPtx(build, cc, candidate);
  }
}

// Without machine code the driver has to compile, which an older one of the same major does not.
void Making::NeedDriverForPtx(const Build& build, const Version& cc, Candidate& candidate) {
  Need need{.package = driver_, .because = made_.at("gpu " + GpuName(cc))};
  const auto& drivers = universe_.packages[driver_].candidates;
  // Drivers rise, and what one compiles the newer ones compile.
  size_t first = 0, end = drivers.size();
  while (first < end) {
    const size_t middle = first + (end - first) / 2;
    const Answer answer = knowledge::BuildOnGpu(build, cc, &drivers[middle].number);
    need.source = answer.source;
    need.unknown |= answer.verdict == Verdict::kUnknown;
    if (answer.verdict == Verdict::kYes) {
      end = middle;
    } else {
      first = middle + 1;
    }
  }
  for (size_t i = first; i < drivers.size(); ++i) need.accepts.push_back(i);
  if (!need.accepts.empty()) need.unknown = false;
  const knowledge::PtxIsa* isa = knowledge::PtxOfCuda(build.row.cuda);
  need.words = "only PTX for " + GpuName(cc) +
               (isa == nullptr ? "" : ", which needs driver >= " + std::to_string(isa->first_driver_branch));
  need.fails = need.words;
  candidate.needs.push_back(std::move(need));
}

void Making::NeedCudnn(const Build& build, Candidate& candidate) {
  const Machine machine = question_.host.machine;
  const std::string_view cudnn = CudnnOf(build.row, machine);
  if (cudnn == "none" || build.row.cuda.empty()) return;
  const Version cuda = knowledge::Known(build.row.cuda);
  if (cudnn.empty()) {
    if (several_ != kNone) {
      candidate.needs.push_back(
          FactNeed(several_, knowledge::Unknown("", build.row.source), "", "its cuDNN is not known"));
    }
    return;
  }
  const Version version = knowledge::Known(cudnn);
  candidate.needs.push_back(MajorNeed(cudnn_major_, version.part(0), "cuDNN", build.row.source));
  candidate.needs.push_back(MajorNeed(cuda_major_, cuda.part(0), "the cuDNN for CUDA", build.row.source));
  if (!BringsItsOwn(LibrariesOf(build.row, machine)) || version.parts.size() < 3) return;
  for (const size_t gpu : gpus_) {
    const Answer& answer = builds_.CudnnOnGpu(version, cuda.part(0), universe_.at(gpu, 0).number);
    if (answer.verdict == Verdict::kUnknown) candidate.remark = answer.why;
  }
}

// The builds of a release on PyTorch's own index differ in CUDA alone: all require one triton.
void Making::NeedTriton(const Build& build, Candidate& candidate) {
  if (build.row.framework != "torch" || build.published != knowledge::PublishedOn::kTorchIndex) return;
  const knowledge::Pin* pin = knowledge::FindPin("torch", build.version);
  const std::string asked(pin == nullptr ? "" : knowledge::Requirement(*pin, "triton"));
  if (asked.empty() || builds_.Meeting("triton", question_.host.machine, asked).empty()) return;
  if (question_.host.python && !HasWheelHere("triton", asked)) return;
  NeedVersions("triton", asked, pin->source, candidate);
}

void Making::NeedLibraries(const Build& build, Candidate& candidate) {
  const Machine machine = question_.host.machine;
  const LibrariesFrom from = LibrariesOf(build.row, machine);
  if (from == LibrariesFrom::kSystem) NeedSystem(build, candidate);
  if (machine == Machine::kWindows && build.row.framework == "torch") return;  // all is inside
  NeedTriton(build, candidate);
  const bool page = build.published == knowledge::PublishedOn::kPage;  // of which only jaxlib comes
  const bool pinned = build.published == knowledge::PublishedOn::kPackageIndex || page;
  const bool built_for_python =
      question_.host.python && build.wheel != nullptr && !build.wheel->pythons.empty();
  if (from == LibrariesFrom::kNvidiaPip) {
    const knowledge::Pin* pin = pinned ? knowledge::FindPin(build.distribution, build.version) : nullptr;
    if (pin != nullptr) {
      NeedPins(*pin, candidate, built_for_python);
    } else if (machine == Machine::kLinuxX86 && knowledge::Known(build.row.cudnn).parts.size() > 3) {
      NeedVersions("nvidia-cudnn-cu" + std::to_string(knowledge::Known(build.row.cuda).part(0)),
                   "==" + std::string(build.row.cudnn), build.row.source, candidate);
    }
  }
  if (from == LibrariesFrom::kExtra && pinned) {
    std::string_view extras = build.extra;
    while (!extras.empty()) {
      const std::string_view extra = extras.substr(0, extras.find(','));
      extras.remove_prefix(std::min(extras.size(), extra.size() + 1));
      if (const knowledge::Pin* pin = knowledge::FindPin(build.distribution, build.version, extra))
        NeedPins(*pin, candidate, built_for_python);
    }
  }
}

}  // namespace culprit::plan

// Builds of frameworks as candidates. Each bound is what a function of knowledge/ answers.
#include <algorithm>

#include "knowledge/arch.h"
#include "knowledge/cudnn.h"
#include "knowledge/packages/release.h"
#include "plan/universe/making.h"

namespace culprit::plan {
namespace {

using base::Version;
using knowledge::Answer;
using knowledge::CodeFit;
using knowledge::FrameworkRelease;
using knowledge::LibrariesFrom;
using knowledge::Verdict;

// Kernels are compiled when they are used, so the list of GPUs is that of the toolkit.
bool CompilesItsKernels(const FrameworkRelease& row) { return row.framework == "cupy"; }

// Of data/frameworks.toml, rule tensorflow-blackwell.
constexpr std::string_view kTensorflowBlackwell = "tensorflow-blackwell";

const knowledge::Rule* FindRule(std::string_view id) {
  const auto rules = knowledge::FrameworkRules();
  const auto at = std::ranges::find(rules, id, &knowledge::Rule::id);
  return at == rules.end() ? nullptr : &*at;
}

bool BringsItsOwn(LibrariesFrom from) {
  return from == LibrariesFrom::kBundled || from == LibrariesFrom::kNvidiaPip;
}

}  // namespace

size_t Making::AddFramework(const std::string& name) {
  universe_.packages.push_back({name, PackageRole::kFramework, {}});
  const size_t package = made_[name] = universe_.packages.size() - 1;
  std::vector<Candidate> candidates;
  for (const Build& build : builds_.Of(name, question_.host.machine)) {
    candidates.push_back(FrameworkCandidate(build));
  }
  ApplyLimits(name, candidates);
  universe_.packages[package].candidates = std::move(candidates);
  return package;
}

Candidate Making::FrameworkCandidate(const Build& build) {
  Candidate candidate;
  candidate.distribution = build.distribution;
  candidate.version = build.shown;
  candidate.number = build.number;
  candidate.variant = build.row.variant;
  candidate.channel = build.channel;
  candidate.extra = build.extra;
  candidate.is_default = build.channel.kind == report::ChannelKind::kPypi;
  candidate.row = &build.row;
  candidate.source = build.row.source;
  NeedMachine(build, candidate);
  if (build.row.cuda.empty()) {
    candidate.needs.push_back(
        FactNeed(machine_, knowledge::Unknown("", build.row.source), "", "its CUDA version is not known"));
  } else {
    const std::string cuda(build.row.cuda);
    candidate.needs.push_back(DriverNeed(cuda));
    candidate.native = NativeOn(build.row.cuda);
    if (cuda_asked_ != kNone) {
      const bool loads = LibrariesOf(build.row, question_.host.machine) == LibrariesFrom::kSystem;
      const Version& asked = *question_.cuda;
      const Version built = knowledge::Known(build.row.cuda);
      const bool fits =
          loads
              ? knowledge::FrameworkWithCuda(build.row, asked, PlatformOf(question_.host.machine)).verdict ==
                    Verdict::kYes
              : knowledge::BeginsWith(built, asked) || knowledge::BeginsWith(asked, built);
      const std::string words = loads ? "loads CUDA " + asked.ToString() : "CUDA " + cuda + " inside";
      candidate.needs.push_back(FactNeed(cuda_asked_,
                                         {fits ? Verdict::kYes : Verdict::kNo, "", build.row.source}, words,
                                         "not of CUDA " + asked.ToString()));
    }
  }
  NeedCompiledAgainst(build, candidate);
  NeedGpus(build, candidate);
  NeedCudnn(build, candidate);
  NeedLibraries(build, candidate);
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
  const Machine machine = question_.host.machine;
  if (build.listed && build.wheel == nullptr) {
    candidate.needs.push_back(
        FactNeed(machine_, knowledge::No("", build.row.source), "", "no wheel for " + MachineWords(machine)));
  }
  if (!build.in_table) {
    Need need{.package = machine_, .fails = "not in the table", .source = std::string(build.row.source)};
    need.missing = true;
    candidate.needs.push_back(std::move(need));
  }
  if (build.channel.kind == report::ChannelKind::kUnknown) {
    candidate.needs.push_back(
        FactNeed(machine_, knowledge::Unknown("", build.row.source), "", "its package index is not known"));
  }
  const Answer platform = OnPlatform(build);
  if (platform.verdict != Verdict::kYes) {
    const bool none = platform.verdict == Verdict::kNo;
    candidate.needs.push_back(FactNeed(machine_, platform, "",
                                       none ? "no GPU support on " + MachineWords(machine)
                                            : "GPU support on " + MachineWords(machine) + " is not known"));
  }
  if (build.wheel != nullptr) {
    NeedWheel(build, candidate);
  } else {
    candidate.needs.push_back(RowPythonNeed(build));
  }
}

// Whether the build uses GPUs on this machine's system.
Answer Making::OnPlatform(const Build& build) const {
  const knowledge::FrameworkRelease& row = build.row;
  const Machine machine = question_.host.machine;
  if (machine == Machine::kLinuxArm && row.libraries_aarch64 != LibrariesFrom::kUnknown) {
    const bool none = row.libraries_aarch64 == LibrariesFrom::kNoGpu;
    return {none ? Verdict::kNo : Verdict::kYes, "", row.source};
  }
  const Answer platform = knowledge::FrameworkOnPlatform(row, PlatformOf(machine));
  // The wheels of other frameworks for aarch64 may be for the CPU alone; of these a wheel with CUDA in its
  // name says it.
  const bool named = row.framework == "onnxruntime" || row.framework == "cupy" || row.framework == "jax";
  const bool told = machine != Machine::kLinuxArm || named || !row.code_aarch64.empty();
  return platform.verdict != Verdict::kYes || told ? platform : knowledge::Unknown("", row.source);
}

// What its wheel asks for: Python and glibc.
void Making::NeedWheel(const Build& build, Candidate& candidate) {
  if (const auto need = WheelPythonNeed(*build.wheel)) candidate.needs.push_back(*need);
  // Where CUDA is inside jaxlib and both come from a page of links: for the Pythons that the index has too.
  if (build.row.framework == "jax" && build.channel.kind == report::ChannelKind::kPage) {
    if (const auto* wheel = WheelFor("jaxlib", build.wheel->version, question_.host.machine)) {
      if (const auto need = WheelPythonNeed(*wheel)) candidate.needs.push_back(*need);
    }
  }
  if (glibc_ != kNone && !build.wheel->glibc.empty()) {
    const bool met = *question_.host.glibc >= knowledge::Known(build.wheel->glibc);
    const std::string words = "needs glibc " + std::string(build.wheel->glibc) + " or newer";
    candidate.needs.push_back(
        FactNeed(glibc_, {met ? Verdict::kYes : Verdict::kNo, "", build.wheel->source}, words, words));
  }
}

// Of a release without a wheel in the tables: the Pythons that its row names.
Need Making::RowPythonNeed(const Build& build) const {
  Need need{.package = python_, .words = "Python", .source = std::string(build.row.source)};
  std::vector<Version> rising;
  const auto& pythons = universe_.packages[python_].candidates;
  bool unknown = false;
  for (size_t i = 0; i < pythons.size(); ++i) {
    const Verdict verdict = knowledge::FrameworkOnPython(build.row, pythons[i].number).verdict;
    unknown |= verdict == Verdict::kUnknown;
    if (verdict == Verdict::kYes || (verdict == Verdict::kUnknown && question_.allow_unknown)) {
      need.accepts.push_back(i);
      rising.push_back(pythons[i].number);
    }
  }
  std::ranges::sort(rising);
  need.unknown = unknown && need.accepts.empty();
  need.words =
      rising.empty() ? "its Python versions are not known" : "wheels for Python " + PythonRange(rising);
  need.fails = need.unknown || !question_.host.python
                   ? (need.unknown ? "its Python versions are not known" : need.words)
                   : "no wheel for Python " + knowledge::MinorOf(*question_.host.python).ToString();
  return need;
}

Answer Making::OnGpu(const Build& build, const Version& cc) {
  const base::Platform platform = PlatformOf(question_.host.machine);
  Answer answer = knowledge::FrameworkOnGpu(build.row, cc, nullptr, platform);
  const bool arm_unknown = question_.host.machine == Machine::kLinuxArm && build.row.code.empty();
  if (CompilesItsKernels(build.row) && answer.verdict == Verdict::kUnknown && !arm_unknown) {
    return knowledge::Yes(answer.why, answer.source);
  }
  const knowledge::Rule* rule = FindRule(kTensorflowBlackwell);
  if (build.row.framework == "tensorflow" && rule != nullptr && cc >= Version{{10}} &&
      knowledge::MinorOf(build.number) <= Version{{2, 20}}) {
    return knowledge::No(std::string(rule->fact), rule->source);
  }
  return answer;
}

void Making::NeedGpus(const Build& build, Candidate& candidate) {
  const Machine machine = question_.host.machine;
  const base::Platform platform = PlatformOf(machine);
  const auto code = machine == Machine::kWindows && !build.row.code_windows.empty() ? build.row.code_windows
                                                                                    : build.row.code;
  for (const size_t gpu : gpus_) {
    const Version& cc = universe_.at(gpu, 0).number;
    const std::string name = GpuName(cc);
    const Answer answer = OnGpu(build, cc);
    const bool ptx =
        answer.verdict == Verdict::kYes && !code.empty() && knowledge::CodeRunsOn(code, cc) == CodeFit::kPtx;
    const bool compiles = code.empty() && answer.verdict == Verdict::kYes;
    candidate.needs.push_back(
        FactNeed(gpu, answer,
                 compiles ? "compiles for " + name : (ptx ? "has PTX for " : "has machine code for ") + name,
                 answer.verdict == Verdict::kUnknown ? "its GPU code is not known" : "no code for " + name));
    if (!ptx) continue;
    // Without machine code the driver has to compile, which an older one of the same major does not.
    Need need{.package = driver_, .source = std::string(answer.source)};
    std::string floor;
    const auto& drivers = universe_.packages[driver_].candidates;
    for (size_t i = 0; i < drivers.size(); ++i) {
      if (knowledge::FrameworkOnGpu(build.row, cc, &drivers[i].number, platform).verdict != Verdict::kYes)
        continue;
      need.accepts.push_back(i);
    }
    const knowledge::PtxIsa* isa = knowledge::PtxOfCuda(build.row.cuda);
    if (isa != nullptr) floor = std::to_string(isa->first_driver_branch);
    need.words = "only PTX for " + name + (floor.empty() ? "" : ", which needs driver >= " + floor);
    need.fails = need.words;
    candidate.needs.push_back(std::move(need));
  }
}

void Making::NeedCudnn(const Build& build, Candidate& candidate) {
  const Machine machine = question_.host.machine;
  const std::string_view cudnn = CudnnOf(build.row, machine);
  if (cudnn == "none" || build.row.cuda.empty()) return;
  const Version cuda = knowledge::Known(build.row.cuda);
  if (cudnn.empty()) {
    if (question_.wants.size() + question_.installed.size() > 1) {
      candidate.needs.push_back(
          FactNeed(machine_, knowledge::Unknown("", build.row.source), "", "its cuDNN is not known"));
    }
    return;
  }
  const Version version = knowledge::Known(cudnn);
  candidate.needs.push_back(MajorNeed(cudnn_major_, version.part(0), "cuDNN", build.row.source));
  candidate.needs.push_back(MajorNeed(cuda_major_, cuda.part(0), "the cuDNN for CUDA", build.row.source));
  if (!BringsItsOwn(LibrariesOf(build.row, machine)) || version.parts.size() < 3) return;
  for (const size_t gpu : gpus_) {
    const Version& cc = universe_.at(gpu, 0).number;
    const Answer& answer = builds_.CudnnOnGpu(version, cuda.part(0), cc);
    if (answer.verdict == Verdict::kNo) {
      Version shown = version;
      shown.parts.resize(std::min<size_t>(shown.parts.size(), 3));
      candidate.needs.push_back(
          FactNeed(gpu, answer, "", "its cuDNN " + shown.ToString() + " has no code for " + GpuName(cc)));
    } else if (answer.verdict == Verdict::kUnknown) {
      candidate.remark = answer.why;
    }
  }
}

void Making::NeedLibraries(const Build& build, Candidate& candidate) {
  const Machine machine = question_.host.machine;
  const LibrariesFrom from = LibrariesOf(build.row, machine);
  if (from == LibrariesFrom::kSystem) NeedSystem(build, candidate);
  if (machine == Machine::kWindows && build.row.framework == "torch") return;  // all is inside
  const bool pinned = build.channel.kind == report::ChannelKind::kPypi;
  if (from == LibrariesFrom::kNvidiaPip) {
    const knowledge::Pin* pin = pinned ? knowledge::FindPin(build.distribution, build.version) : nullptr;
    if (pin != nullptr) {
      NeedPins(*pin, candidate);
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
        NeedPins(*pin, candidate);
    }
  }
}

}  // namespace culprit::plan

// Packages of the package index that frameworks pin (nvidia-*, jaxlib, triton ...), and those that belong to
// a release of torch (torchvision ...).
#include <algorithm>

#include "knowledge/arch.h"
#include "knowledge/cudnn.h"
#include "knowledge/packages/extensions.h"
#include "knowledge/packages/frameworks.h"
#include "knowledge/packages/release.h"
#include "plan/commands/in_order.h"
#include "plan/universe/making.h"

namespace culprit::plan {
namespace {

using base::Version;
using knowledge::Answer;
using knowledge::Distribution;
using knowledge::Verdict;

constexpr std::string_view kCudnnWheel = "nvidia-cudnn-cu";

// The extras with which plugins of jax bring CUDA.
constexpr std::string_view kWithCuda[] = {"", "with-cuda", "with_cuda"};

uint32_t MajorOf(const Candidate& build) {
  return build.row->cuda.empty() ? 0 : knowledge::Known(build.row->cuda).part(0);
}

// Puts a build of torch into the need of a package, if that was compiled for its CUDA: that of the recorded
// build; where none is recorded, that of the package index.
bool AcceptsBuild(std::string_view name, const knowledge::Extension* compiled,
                  const std::vector<Candidate>& builds, size_t at, Need& need) {
  const bool one_build = name == "xformers" || name == "vllm";
  const auto own = [&](const Candidate& build) {
    return compiled != nullptr ? build.variant == compiled->variant : one_build && build.row->is_default;
  };
  if (one_build) {
    uint32_t major = compiled == nullptr ? 0 : knowledge::MajorOfVariant(compiled->variant);
    if (compiled == nullptr) {  // the builds of a release stand together
      size_t first = at;
      while (first > 0 && builds[first - 1].number == builds[at].number) --first;
      for (size_t i = first; i < builds.size() && builds[i].number == builds[at].number; ++i) {
        if (own(builds[i])) major = MajorOf(builds[i]);
      }
    }
    if (major == 0 || MajorOf(builds[at]) != major) return false;
  }
  need.accepts.push_back(at);
  if (own(builds[at])) need.prefers.push_back(at);
  return true;
}

bool BelongsToTorch(std::string_view name) {
  return name == "torchvision" || name == "torchaudio" || name == "xformers" || name == "vllm";
}

}  // namespace

size_t Making::AddLibrary(const std::string& name, const std::string& key) {
  const std::vector<Wheel>& wheels = builds_.WheelsOf(name, question_.host.machine);
  if (wheels.empty()) return kNone;
  const bool companion = BelongsToTorch(name);
  const bool pinned = knowledge::IsPinned(name);
  universe_.packages.push_back({name, companion ? PackageRole::kCompanion : PackageRole::kLibrary, {}});
  const size_t package = made_[key] = universe_.packages.size() - 1;
  std::vector<Candidate> candidates;
  for (const Wheel& one : wheels) {
    const Distribution* wheel = one.row;
    Candidate candidate;
    candidate.distribution = name;
    candidate.version = wheel->version;
    candidate.number = one.number;
    candidate.channel = report::ChannelKind::kPypi;
    candidate.source = wheel->source;
    if (IsLeftOut(name, candidate)) {
      candidates.push_back(std::move(candidate));
      continue;
    }
    if (const auto need = WheelPythonNeed(*wheel)) candidate.needs.push_back(need);
    if (glibc_ != kNone && !wheel->glibc.empty()) {
      const bool met = *question_.host.glibc >= knowledge::Known(wheel->glibc);
      const std::string words = "needs glibc " + std::string(wheel->glibc) + " or newer";
      candidate.needs.push_back(
          FactNeed(glibc_, {met ? Verdict::kYes : Verdict::kNo, "", wheel->source}, words, words));
    }
    if (name.starts_with(kCudnnWheel)) {
      const Version cuda = knowledge::Known(name.substr(kCudnnWheel.size()));
      candidate.needs.push_back(MajorNeed(cudnn_major_, candidate.number.part(0), "cuDNN", wheel->source));
      candidate.needs.push_back(MajorNeed(cuda_major_, cuda.part(0), "the cuDNN for CUDA", wheel->source));
      for (const size_t gpu : gpus_) {
        const Version& cc = universe_.at(gpu, 0).number;
        Answer answer = builds_.CudnnOnGpu(candidate.number, cuda.part(0), cc);
        if (answer.verdict == Verdict::kUnknown) candidate.remark = answer.why;
        if (answer.verdict != Verdict::kNo) answer.verdict = Verdict::kYes;  // frameworks pin it: they tried
        candidate.needs.push_back(
            FactNeed(gpu, answer, "has code for " + GpuName(cc), "no code for " + GpuName(cc)));
      }
    }
    if (companion) {
      NeedTorch(name, wheel->version, candidate);
      NeedAsProject(name, wheel->version, candidate);
    } else if (pinned) {
      for (const std::string_view extra : kWithCuda) {
        if (const knowledge::Pin* pin = knowledge::FindPin(name, wheel->version, extra))
          NeedPins(*pin, candidate);
      }
    }
    candidates.push_back(std::move(candidate));
  }
  ApplyLimits(name, candidates);
  universe_.packages[package].candidates = std::move(candidates);
  return package;
}

// GPU code of a package that belongs to torch, and what else its METADATA asks for.
void Making::NeedAsProject(const std::string& name, std::string_view version, Candidate& candidate) {
  const auto& releases = builds_.ReleasesOf(name, question_.host.machine);
  const auto release = std::ranges::find(releases, version, &ProjectRelease::version);
  if (release == releases.end()) return;
  NeedProjectPins(name, *release, candidate);
  NeedProjectCode(*release, candidate);
}

// Whether a release that is asked for has a wheel for the Python that is here.
bool Making::HasWheelHere(const std::string& library, const std::string& specifiers) {
  const Version python = knowledge::MinorOf(*question_.host.python);
  const std::vector<Wheel>& wheels = builds_.WheelsOf(library, question_.host.machine);
  const auto& met = builds_.Meeting(library, question_.host.machine, specifiers);
  return met.empty() || std::ranges::any_of(met, [&](size_t i) {
           const auto pythons = wheels[i].row->pythons;
           return pythons.empty() || std::ranges::any_of(pythons, [&](std::string_view text) {
                    return knowledge::Known(text) == python;
                  });
         });
}

// Pins have no markers. What has no wheel for the Python that the package itself was built for is behind one:
// triton of torch 2.5 with Python 3.13.
void Making::NeedPins(const knowledge::Pin& pin, Candidate& candidate, bool built_for_python) {
  for (const std::string_view text : pin.needs) {
    const size_t end = text.find_first_of("=<>~!");
    const std::string library(text.substr(0, end));
    const std::string specifiers(end == std::string_view::npos ? "" : text.substr(end));
    if (library == "torch") continue;
    if (built_for_python && !HasWheelHere(library, specifiers)) continue;
    NeedVersions(library, specifiers, pin.source, candidate);
  }
}

// What the index does not list for this machine is not modelled: pins are recorded without their markers.
void Making::NeedVersions(const std::string& library, const std::string& specifiers, std::string_view source,
                          Candidate& candidate) {
  if (question_.provided.contains(library) || question_.overridden.contains(library)) return;
  // A version with a label is on another index: jaxlib==0.4.20+cuda12.cudnn89.
  const bool elsewhere = specifiers.find('+') != std::string::npos;
  if (elsewhere && builds_.Meeting(library, question_.host.machine, specifiers).empty()) return;
  const size_t package = PackageNamed(library == "cuda-toolkit" ? "pypi:cuda-toolkit" : library);
  if (package == kNone) return;
  const std::string requirement = library + specifiers;
  SharedNeed& made = version_needs_[{requirement, source.data()}];
  if (made == nullptr) {
    made = std::make_shared<const Need>(
        Need{.package = package,
             .accepts = builds_.Meeting(library, question_.host.machine, specifiers),
             .words = "requires " + requirement,
             .requirement = requirement,
             .fails = "requires " + requirement,
             .source = std::string(source)});
  }
  candidate.needs.push_back(made);
}

// A release of torch is bound by METADATA. What is compiled against one of its builds loads the libraries of
// that CUDA by names that hold for its major: any build with that major does, the very one is preferred.
void Making::NeedTorch(const std::string& name, std::string_view version, Candidate& candidate) {
  const knowledge::Pin* pin = knowledge::FindPin(name, version);
  const knowledge::Extension* compiled = knowledge::CompiledAgainst(name, version);
  const std::string_view asked = pin == nullptr ? "" : knowledge::Requirement(*pin, "torch");
  Need need{.package = PackageNamed("torch")};
  const auto& builds = universe_.packages[need.package].candidates;
  const auto* meeting =
      asked.empty() ? nullptr : &builds_.BuildsMeeting("torch", question_.host.machine, asked);
  std::vector<Version> releases;  // newest first
  Verdict verdict = Verdict::kUnknown;
  for (size_t i = 0; i < builds.size(); ++i) {
    const Version& number = builds[i].number;
    if (i == 0 || number != builds[i - 1].number) {
      if (!asked.empty()) {
        verdict = meeting->at(i);
        need.source = pin->source;
      } else if (compiled != nullptr) {
        verdict = number == knowledge::Known(compiled->of_version) ? Verdict::kYes : Verdict::kNo;
      } else {
        const Answer answer = knowledge::PackagesFit(name, version, "torch", number.ToString());
        verdict = answer.verdict;
        if (need.source.empty()) need.source = answer.source;
      }
      need.unknown |= verdict == Verdict::kUnknown;
    }
    const bool fits = verdict == Verdict::kYes || (verdict == Verdict::kUnknown && question_.allow_unknown);
    if (fits && AcceptsBuild(name, compiled, builds, i, need) &&
        (releases.empty() || releases.back() != number))
      releases.push_back(number);
  }
  if (compiled != nullptr) need.source = compiled->source;
  need.unknown = need.unknown && need.accepts.empty();
  need.words = releases.empty() ? "the matching torch version is not known"
                                : "belongs to torch " + releases.back().ToString();
  if (releases.size() > 1) need.words += " to " + releases.front().ToString();
  need.fails = need.words;
  candidate.needs.push_back(std::move(need));
  if (pin == nullptr) return;
  for (const std::string_view text : pin->needs) {  // vllm asks for torchvision too
    const size_t end = text.find_first_of("=<>~!");
    const std::string other(text.substr(0, end));
    if (other == "torch" || !BelongsToTorch(other) || end == std::string_view::npos) continue;
    NeedVersions(other, std::string(text.substr(end)), pin->source, candidate);
  }
}

}  // namespace culprit::plan

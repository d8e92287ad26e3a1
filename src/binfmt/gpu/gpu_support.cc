// The rules, from the CUDA C++ Programming Guide ("Binary Compatibility", "PTX Compatibility",
// "Family-Specific Features") and nvcc's list of targets:
//   machine code X.y runs on X.z with z >= y; not between desktop GPUs and Tegra, nor between Tegra GPUs;
//   'a' runs only on exactly its capability, machine code and PTX alike;
//   'f' runs within its family, from its own minor number on;
//   other PTX runs on the same and every higher capability, if the driver supports that PTX version.
#include "binfmt/gpu/gpu_support.h"

#include <algorithm>
#include <array>

namespace culprit::binfmt {
namespace {

enum class Fit { kNative, kJit, kLink, kUncertain, kNone };  // best first

struct Judgement {
  Fit fit = Fit::kNone;
  std::string reason;
  bool reaches = false;  // it is for this device, but something else prevents it
};

// Integrated Tegra GPUs; 10.1 is what CUDA 12 called 11.0.
constexpr std::array<uint32_t, 7> kTegra = {32, 53, 62, 72, 87, 101, 110};
bool IsTegra(uint32_t arch) { return std::ranges::find(kTegra, arch) != kTegra.end(); }

// Families whose members are known.
constexpr std::array<uint32_t, 6> kFamilyMembers = {100, 103, 101, 110, 120, 121};
uint32_t FamilyOf(uint32_t arch) {
  switch (arch) {
    case 103:
      return 100;
    case 121:
      return 120;
    default:
      return arch;
  }
}
bool FamilyKnown(uint32_t arch) { return std::ranges::find(kFamilyMembers, arch) != kFamilyMembers.end(); }

std::string Version(PtxVersion version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor);
}

class Judging {
 public:
  Judging(GpuDevice device, std::optional<PtxVersion> newest_ptx, bool jit_allowed)
      : arch_(device.major * 10 + device.minor), newest_ptx_(newest_ptx), jit_allowed_(jit_allowed) {}

  Judgement Of(const GpuTarget& target) const {
    switch (target.kind) {
      case GpuTarget::Kind::kSass:
        return Reaches(target, target.arch / 10 == arch_ / 10, Fit::kNative);
      case GpuTarget::Kind::kPtx:
        return Ptx(target);
      case GpuTarget::Kind::kLtoIr:
        return {Fit::kLink, ""};
      case GpuTarget::Kind::kOther:
        break;
    }
    return {Fit::kUncertain, "GPU code of an unknown kind"};
  }

  std::string DeviceName() const { return "sm_" + std::to_string(arch_); }

 private:
  // Ignoring PTX versions: `fit` if the target covers the device. `plain` says whether a target without
  // suffix would cover it if the device's number is not lower.
  Judgement Reaches(const GpuTarget& target, bool plain, Fit fit) const {
    Judgement no{Fit::kNone, target.Name() + " does not run on " + DeviceName()};
    const bool sass = target.kind == GpuTarget::Kind::kSass;
    if (target.arch == arch_) return {fit, ""};
    if ((target.arch == 101 && arch_ == 110) || (target.arch == 110 && arch_ == 101)) {
      return {Fit::kUncertain, target.Name() + " and " + DeviceName() +
                                   " name the same GPU in CUDA 12 and 13; whether one runs as the other is "
                                   "not known"};
    }
    if (target.arch > arch_ || target.suffix == 'a') return no;
    if (target.suffix == 'f') {
      if (target.arch / 10 != arch_ / 10) return no;
      if (!FamilyKnown(target.arch) || !FamilyKnown(arch_)) {
        return {Fit::kUncertain,
                "whether " + DeviceName() + " is of the family of " + target.Name() + " is not known"};
      }
      return FamilyOf(target.arch) == FamilyOf(arch_) ? Judgement{fit, ""} : no;
    }
    if (!plain) return no;
    if (sass && (IsTegra(target.arch) || IsTegra(arch_))) {
      return {Fit::kUncertain,
              target.Name() + " on " + DeviceName() + ": between Tegra and other GPUs this is not promised"};
    }
    return {fit, ""};
  }

  Judgement Ptx(const GpuTarget& target) const {
    Judgement judgement = Reaches(target, /*plain=*/true, Fit::kJit);
    if (judgement.fit != Fit::kJit) return judgement;
    const PtxVersion version{target.ptx_major, target.ptx_minor};
    const std::string what = "PTX " + Version(version) + " for " + target.Name();
    if (!jit_allowed_) return {Fit::kNone, what + " cannot be compiled: the process disables it", true};
    if (!newest_ptx_)
      return {Fit::kUncertain, "the PTX version the driver supports is not known; this is " + what};
    if (version > *newest_ptx_) {
      return {Fit::kNone, what + " is newer than the driver, which supports PTX " + Version(*newest_ptx_),
              true};
    }
    return judgement;
  }

  uint32_t arch_;
  std::optional<PtxVersion> newest_ptx_;
  bool jit_allowed_;
};

Judgement JudgeContainer(const std::vector<GpuTarget>& targets, const Judging& judging) {
  Judgement best;
  for (const GpuTarget& target : targets) {
    Judgement judgement = judging.Of(target);
    const bool says_more = best.reason.empty() || (judgement.reaches && !best.reaches);
    if (judgement.fit < best.fit || (judgement.fit == best.fit && says_more)) best = std::move(judgement);
  }
  return best;
}

uint64_t& Counter(GpuSupport& support, Fit fit) {
  switch (fit) {
    case Fit::kNative:
      return support.native;
    case Fit::kJit:
      return support.jit;
    case Fit::kLink:
      return support.link;
    case Fit::kUncertain:
      return support.uncertain;
    case Fit::kNone:
      break;
  }
  return support.none;
}

// What the driver can link on load: every relocatable container has to have something for the device.
Fit JudgeRelocatable(const GpuCode& code, const std::vector<GpuPart>& parts, const Judging& judging) {
  std::optional<Fit> worst;
  for (size_t i = 0; i < code.containers.size(); ++i) {
    if (parts[i] != GpuPart::kRelocatable) continue;
    worst = std::max(worst.value_or(Fit::kNative), JudgeContainer(code.containers[i].targets, judging).fit);
  }
  return worst.value_or(Fit::kNone);
}

// Of the containers without code for the device, those that nvlink made may be linked anew. Which ones these
// are the file says only in addresses that ld.so changes, so the number decides; where both kinds are among
// those without code and those with, it is uncertain for some.
void LinkOnLoad(const GpuCode& code, uint64_t listed, Fit relocatable, GpuSupport& support) {
  const uint64_t linked = std::min(code.linked_on_load, listed), others = listed - linked;
  const uint64_t most = std::min(linked, support.none);
  const uint64_t least = support.none > others ? std::min(support.none - others, most) : 0;
  if (relocatable == Fit::kNone || most == 0) return;
  support.none -= most;
  Counter(support, relocatable) += least;
  support.uncertain += most - least;
  if (support.none + support.uncertain == 0) {
    support.reason.clear();
  } else if (most > least) {
    support.reason += ", and whether the driver can link it on load is not known";
  }
}

}  // namespace

GpuSupport Judge(const GpuCode& code, GpuDevice device, std::optional<PtxVersion> newest_ptx,
                 bool jit_allowed) {
  GpuSupport support;
  const Judging judging(device, newest_ptx, jit_allowed);
  const std::vector<GpuPart> parts = PartsOf(code);
  uint64_t listed = 0;
  for (size_t i = 0; i < code.containers.size(); ++i) {
    const GpuCode::Containers& containers = code.containers[i];
    if (parts[i] == GpuPart::kRelocatable || containers.targets.empty()) continue;
    const Judgement judgement = JudgeContainer(containers.targets, judging);
    Counter(support, judgement.fit) += containers.count;
    if (parts[i] == GpuPart::kListed) listed += containers.count;
    if (support.reason.empty()) support.reason = judgement.reason;
  }
  LinkOnLoad(code, listed, JudgeRelocatable(code, parts, judging), support);
  using Verdict = GpuSupport::Verdict;
  const uint64_t runs = support.native + support.jit;
  const bool all_seen = code.complete && code.whole_file;
  if (support.containers() == 0) {
    support.verdict = code.complete ? Verdict::kNoCode : Verdict::kUnknown;
  } else if (runs > 0) {
    support.verdict = runs == support.containers() ? Verdict::kAll : Verdict::kSome;
  } else {
    support.verdict =
        support.uncertain > 0 || support.link > 0 || !all_seen ? Verdict::kUnknown : Verdict::kNone;
  }
  if (support.verdict == Verdict::kUnknown && !all_seen && support.uncertain == 0 && support.link == 0) {
    support.reason = !code.problem.empty()
                         ? code.problem
                         : "only the sections that CUDA tools write were searched, and they " +
                               (support.reason.empty() ? "are empty" : support.reason);
  }
  return support;
}

}  // namespace culprit::binfmt

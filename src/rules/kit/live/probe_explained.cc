#include "rules/kit/live/probe_explained.h"

#include <algorithm>

#include "base/text.h"
#include "knowledge/messages/status_codes.h"
#include "rules/kit/live/probe_facts.h"

namespace culprit::rules {
namespace {

using report::Finding;
using snapshot::ProbeStep;
using snapshot::StepName;

constexpr int32_t kInsufficientDriver = 35;  // cudaErrorInsufficientDriver

bool IsError(const Finding& finding) { return finding.severity == report::Severity::kError; }

// How well the cause of a finding fits the status: its position in the status's list of causes, 0 is best;
// the size of the list if it is not in it.
struct Fit {
  size_t rank = 0;
  bool listed = false;
};
Fit FitOf(const Finding& finding, const ProbeStep& step) {
  const auto code = CudaCode(step);
  const knowledge::CudaStatus* row = code ? knowledge::FindCudaStatus(*code) : nullptr;
  if (row == nullptr) {
    // The step, or the crash, names the file: better than a finding about another file.
    const bool named =
        finding.subject == step.library ||
        (finding.subject != step.subject && base::Contains(Words(step), base::BaseName(finding.subject)));
    return {named ? size_t{0} : size_t{1}, false};
  }
  const auto found = std::ranges::find(row->causes, std::string_view(finding.cause));
  return {static_cast<size_t>(found - row->causes.begin()), found != row->causes.end()};
}

// A warning says that something may fail; if the status points to the same cause, it has failed.
bool HasHappened(const Finding& finding, const ProbeStep& step) {
  return IsError(finding) || (finding.severity == report::Severity::kWarning && FitOf(finding, step).listed);
}

// Whether the driver's own library is broken.
bool AboutDriverLibrary(const Finding& finding) {
  return base::Contains(finding.subject, "libcuda.so") || base::Contains(finding.subject, "libnvidia-") ||
         base::Contains(finding.subject, "nvcuda.dll");
}

bool ExplainsDriver(const RuledFinding& ruled, const ProbeStep& step) {
  const auto& [rule, finding] = ruled;
  switch (step.name) {
    case StepName::kKernel:  // without the JIT compiler, or with JIT forbidden, only PTX fails
      return rule->CanExplain(Explains::kPtx);
    case StepName::kLibcuda:
    case StepName::kInit:
    case StepName::kDevices:
    case StepName::kContext:
    case StepName::kNvml: {
      const Explains what = step.name == StepName::kNvml ? Explains::kNvml : Explains::kCudaStart;
      const bool can =
          rule->CanExplain(what) || (rule->CanExplain(Explains::kDriverFiles) && AboutDriverLibrary(finding));
      return can && HasHappened(finding, step);
    }
    default:
      return false;
  }
}

// Whether a finding is about the files that a step used.
bool AboutItsFiles(const snapshot::ProbeFacts& facts, const Finding& finding, const ProbeStep& step) {
  const std::string& place = finding.subject;
  if (!place.starts_with('/') || step.subject.empty()) return false;
  const std::string directory(base::DirName(step.subject));
  if (place == step.subject || place == directory || base::DirName(place) == directory) return true;
  const auto loaded = LoadedUntil(facts, step);
  return std::ranges::find(loaded, place, &snapshot::ProbedLibrary::path) != loaded.end();
}

bool ExplainsRuntime(const snapshot::ProbeFacts& facts, const RuledFinding& ruled, const ProbeStep& step) {
  const auto& [rule, finding] = ruled;
  if (!IsError(finding)) return false;
  if (CudaCode(step) == kInsufficientDriver) return rule->CanExplain(Explains::kOldDriver);
  if (step.name == StepName::kNvrtc && rule->CanExplain(Explains::kNvrtc)) return true;
  if (!rule->CanExplain(Explains::kCudaFiles)) return false;
  const std::string stem(base::BaseName(step.subject).substr(0, base::BaseName(step.subject).find(".so")));
  return AboutItsFiles(facts, finding, step)
             ? LoadFailed(step)
             : !stem.empty() && base::BaseName(finding.subject).starts_with(stem + ".");
}

bool ExplainsCudnn(const snapshot::ProbeFacts& facts, const RuledFinding& ruled, const ProbeStep& step) {
  const auto& [rule, finding] = ruled;
  if (!IsError(finding)) return false;
  if (CudaCode(step) == kInsufficientDriver) return rule->CanExplain(Explains::kOldDriver);
  if (!rule->CanExplain(Explains::kCudnnFiles) || !AboutItsFiles(facts, finding, step)) return false;
  const bool mixed = finding.cause == "cudnn-mixed-versions";
  if (SaysMixed(step)) return mixed;
  // A crash is explained by the file in which it happened.
  if (!step.library.empty()) return mixed || finding.subject == step.library;
  return true;
}

bool ExplainsFramework(const RuledFinding& ruled, const ProbeStep& step) {
  const auto& [rule, finding] = ruled;
  const bool cpu_only = step.status == base::OwnStatus::kCpuOnly && finding.cause == "framework-cpu-only" &&
                        finding.severity != report::Severity::kNote;
  if (!IsError(finding) && !cpu_only) return false;
  if (!rule->CanExplain(Explains::kFramework)) return false;
  const std::string name = FrameworkOf(step);
  return std::ranges::any_of(finding.affects,
                             [&](const std::string& affected) { return affected.starts_with(name); });
}

bool ExplainsCompile(const RuledFinding& ruled, const ProbeStep& step) {
  const auto& [rule, finding] = ruled;
  if (finding.severity == report::Severity::kNote) return false;
  if (step.name == StepName::kRunCudnn) return rule->CanExplain(Explains::kBuiltCudnn);
  if (!IsCompile(step.name)) return false;
  const std::string words = Words(step);
  if (SaysHostCompiler(words)) return rule->CanExplain(Explains::kHostCompiler);
  if (SaysUnknownArchitecture(words)) return rule->CanExplain(Explains::kArchitecture);
  if (SaysHeaderMissing(words)) return rule->CanExplain(Explains::kHeaders);
  return LoadFailed(step) && rule->CanExplain(Explains::kCompilerFiles);
}

bool CanBeExplainedBy(const RuledFinding& ruled, const snapshot::ProbeFacts& facts, const ProbeStep& step) {
  switch (JobOf(step.name)) {
    case snapshot::JobKind::kDriver:
      return ExplainsDriver(ruled, step);
    case snapshot::JobKind::kRuntime:
      return ExplainsRuntime(facts, ruled, step);
    case snapshot::JobKind::kCudnn:
      return ExplainsCudnn(facts, ruled, step);
    case snapshot::JobKind::kFramework:
      return ExplainsFramework(ruled, step);
    case snapshot::JobKind::kCompile:
      return ExplainsCompile(ruled, step);
  }
  return false;
}

}  // namespace

bool SaysHostCompiler(std::string_view words) {
  return base::Contains(words, "unsupported GNU version") ||
         base::Contains(words, "unsupported Microsoft Visual Studio") ||
         base::Contains(words, "unsupported clang version") ||
         base::Contains(words, "Cannot find compiler") || base::Contains(words, "gcc versions later than");
}

bool SaysUnknownArchitecture(std::string_view words) {
  return base::Contains(words, "Unsupported gpu architecture") ||
         base::Contains(words, "not defined for option 'gpu-architecture'") ||
         base::Contains(words, "not defined for option 'gpu-name'") ||
         base::Contains(words, "unsupported gpu architecture");
}

bool SaysHeaderMissing(std::string_view words) {
  return (base::Contains(words, "cudnn") || base::Contains(words, "cuda")) && base::Contains(words, ".h") &&
         (base::Contains(words, "No such file or directory") ||
          base::Contains(words, "Cannot open include file") ||
          base::Contains(words, "could not open source file") ||
          base::Contains(words, "cannot open source file"));
}

const Finding* ExplainedBy(const snapshot::ProbeFacts& facts, const ProbeStep& step,
                           std::span<const RuledFinding> findings) {
  const Finding* best = nullptr;
  for (const RuledFinding& ruled : findings) {
    const Finding& finding = ruled.finding;
    if (CanBeExplainedBy(ruled, facts, step) &&
        (best == nullptr || FitOf(finding, step).rank < FitOf(*best, step).rank))
      best = &finding;
  }
  return best;
}

}  // namespace culprit::rules

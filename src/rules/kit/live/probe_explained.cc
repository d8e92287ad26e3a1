#include "rules/kit/live/probe_explained.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "base/text.h"
#include "knowledge/messages/status_codes.h"
#include "rules/kit/live/probe_facts.h"

namespace culprit::rules {
namespace {

using report::Finding;
using snapshot::ProbeStep;

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> list) {
  return std::ranges::find(list, text) != list.end();
}

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

bool ExplainsDriver(const Finding& finding, const ProbeStep& step) {
  const std::string_view code = finding.code;
  // Without the JIT compiler, or with JIT forbidden, only PTX fails.
  if (step.name == "kernel") return IsOneOf(code, {"CUL1022", "CUL7004"});
  if (IsOneOf(code, {"CUL1022", "CUL1013"}) || !HasHappened(finding, step)) return false;
  if (!IsOneOf(step.name, {"libcuda", "nvml", "init", "devices", "context"})) return false;
  if (code.starts_with("CUL5")) return AboutDriverLibrary(finding);
  if (step.name == "nvml")
    return code.starts_with("CUL1") || IsOneOf(code, {"CUL2004", "CUL2008", "CUL2009"});
  return code.starts_with("CUL1") || code.starts_with("CUL2");
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

bool ExplainsRuntime(const snapshot::ProbeFacts& facts, const Finding& finding, const ProbeStep& step) {
  if (!IsError(finding)) return false;
  if (CudaCode(step) == 35) return finding.code == "CUL1013";
  if (step.name == "nvrtc" && finding.code == "CUL4011") return true;
  if (!finding.code.starts_with("CUL4") && !finding.code.starts_with("CUL5")) return false;
  const std::string stem(base::BaseName(step.subject).substr(0, base::BaseName(step.subject).find(".so")));
  return AboutItsFiles(facts, finding, step)
             ? LoadFailed(step)
             : !stem.empty() && base::BaseName(finding.subject).starts_with(stem + ".");
}

bool ExplainsCudnn(const snapshot::ProbeFacts& facts, const Finding& finding, const ProbeStep& step) {
  if (!IsError(finding)) return false;
  if (CudaCode(step) == 35) return finding.code == "CUL1013";
  const bool kind = finding.code.starts_with("CUL3") || finding.code.starts_with("CUL5");
  if (!kind || !AboutItsFiles(facts, finding, step)) return false;
  const bool mixed = finding.cause == "cudnn-mixed-versions";
  if (base::Contains(step.status, "VERSION_MISMATCH") || step.status == "mixed-versions") return mixed;
  // A crash is explained by the file in which it happened.
  if (!step.library.empty()) return mixed || finding.subject == step.library;
  return true;
}

bool ExplainsFramework(const Finding& finding, const ProbeStep& step) {
  const bool cpu_only = step.status == "cpu-only" && finding.cause == "framework-cpu-only" &&
                        finding.severity != report::Severity::kNote;
  if (!IsError(finding) && !cpu_only) return false;
  if (finding.code.starts_with("CUL2") || finding.code.starts_with("CUL8")) return false;
  const std::string name = FrameworkOf(step);
  return std::ranges::any_of(finding.affects,
                             [&](const std::string& affected) { return affected.starts_with(name); });
}

bool ExplainsCompile(const Finding& finding, const ProbeStep& step) {
  if (finding.severity == report::Severity::kNote) return false;
  const std::string words = Words(step);
  const std::string_view code = finding.code;
  if (step.name.starts_with("compile")) {
    if (SaysHostCompiler(words)) return code == "CUL8002";
    if (SaysUnknownArchitecture(words)) return code == "CUL8001";
    if (SaysHeaderMissing(words)) return IsOneOf(code, {"CUL8004", "CUL8003"});
    return LoadFailed(step) && IsOneOf(code, {"CUL4001", "CUL4002", "CUL4003"});
  }
  if (step.name == "run-cudnn") return IsOneOf(code, {"CUL3008", "CUL8003"});
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
                           std::span<const Finding> findings) {
  const std::string_view kind = JobKind(step);
  const Finding* best = nullptr;
  for (const Finding& finding : findings) {
    const bool explains = kind == "driver"      ? ExplainsDriver(finding, step)
                          : kind == "runtime"   ? ExplainsRuntime(facts, finding, step)
                          : kind == "cudnn"     ? ExplainsCudnn(facts, finding, step)
                          : kind == "framework" ? ExplainsFramework(finding, step)
                          : kind == "compile"   ? ExplainsCompile(finding, step)
                                                : false;
    if (explains && (best == nullptr || FitOf(finding, step).rank < FitOf(*best, step).rank)) best = &finding;
  }
  return best;
}

}  // namespace culprit::rules

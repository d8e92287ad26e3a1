// CUL9014: a three-line program does not compile or link.
#include "rules/kit/changes.h"
#include "rules/kit/live/probe_explained.h"
#include "rules/kit/live/probe_facts.h"
#include "rules/kit/live/probe_failures.h"
#include "rules/rule.h"

namespace culprit::rules::cuda_program_not_built {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The installed nvcc, host compiler, headers and libraries cannot build a program of three lines.

## Why it breaks
Compile: nvcc does not support the host compiler or the GPU, or a header is missing or of another version. Link: a
library is not found, or lacks a function that the header declares.

## How culprit knows
It compiles and links in a temporary directory and quotes the compiler output.

## Fix
It depends on the reason.

## When this is not your problem
The machine only runs programs.

## Sources
The output of nvcc and of the linker.
)md";

struct Reason {
  std::string_view cause;
  std::string_view says;
  std::string_view fix;
};

Reason ReasonOf(const snapshot::ProbeStep& step) {
  const std::string words = Words(step);
  const auto has = [&](std::string_view part) { return words.find(part) != std::string::npos; };
  const bool cudnn = BuildsCudnn(step.name);
  if (SaysHostCompiler(words))
    return {"host-compiler", "nvcc does not support this host compiler",
            "use a host compiler that nvcc supports: nvcc -ccbin"};
  if (SaysUnknownArchitecture(words))
    return {"arch-unsupported-by-compiler", "nvcc does not support this GPU's architecture",
            "install a toolkit that supports it"};
  if (step.status == base::OwnStatus::kNotFound || has("nvcc: not found") || has("nvcc: No such file"))
    return {"toolkit-missing", "no compiler is found", "install the CUDA toolkit, or set CUDA_HOME to it"};
  if (SaysHeaderMissing(words))
    return {"header-library-mismatch", cudnn ? "the cuDNN header is not found" : "a CUDA header is not found",
            cudnn ? "install the cuDNN development package, or pass its include directory with -I"
                  : "install the toolkit headers"};
  if (has("undefined reference") || has("unresolved external") || has("undefined symbol"))
    return {"header-library-mismatch", "the library lacks a function that the header declares",
            "use headers and libraries of the same version"};
  if (has("cannot find -l") || has("cannot open file"))
    return {"build-config", "the linker does not find a library",
            "pass its directory with -L, or install its development package"};
  return {"build-config", IsLink(step.name) ? "it does not link" : "it does not compile",
          "read the compiler output"};
}

void Check(const Scene& scene, Ruling& ruling) {
  if (Probed(scene, ruling) == nullptr) return;
  for (const ProbeFailure* failure : FailuresOf(scene, Trouble::kNotBuilt)) {
    const snapshot::ProbeStep& step = *failure->step;
    const Reason reason = ReasonOf(step);
    const std::string program = BuildsCudnn(step.name) ? "a cuDNN program" : "a CUDA program";
    const std::string what = IsLink(step.name) ? " does not link: " : " does not compile: ";
    report::Finding& finding = ruling.Fire(program + what + std::string(reason.says), SubjectOf(step),
                                           {std::string(base::Word(step.name))});
    finding.cause = reason.cause;
    finding.evidence.push_back(EvidenceOf(step));
    AddOutput(step, finding);
    finding.fix = {.text = std::string(reason.fix),
                   .commands = {"culprit check"},
                   .risk = report::Risk::kLow,
                   .changes = ANewProbeTells("the program builds")};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL9014",
                           .name = "cuda_program_not_built",
                           .family = Family::kLive,
                           .cause = "build-config",
                           .severity = report::Severity::kError,
                           .since = "0.5.0",
                           .title = "a small CUDA or cuDNN program does not compile or link",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cuda_program_not_built

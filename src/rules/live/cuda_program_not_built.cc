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
nvcc, the host compiler, the headers and the libraries that were found do not make a program of three lines.

## Why it breaks
Compile: a host compiler that nvcc does not support, a GPU that nvcc does not know, a header that is not there or of another version.
Link: a library that is not found, or that lacks a function that the header promises.

## How culprit knows
It compiled and linked in a temporary directory; the words of the compilers are told.

## Fix
By the reason.

## When this is not your problem
A machine that only runs programs.

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
  const bool cudnn = step.name.ends_with("cudnn");
  if (SaysHostCompiler(words))
    return {"host-compiler", "nvcc does not support this host compiler",
            "use a host compiler that nvcc supports: nvcc -ccbin"};
  if (SaysUnknownArchitecture(words))
    return {"arch-unsupported-by-compiler", "nvcc does not know the architecture of this GPU",
            "install a toolkit that knows it"};
  if (step.status == "not-found" || has("nvcc: not found") || has("nvcc: No such file"))
    return {"toolkit-missing", "there is no compiler", "install the CUDA toolkit, or set CUDA_HOME to it"};
  if (SaysHeaderMissing(words))
    return {"header-library-mismatch",
            cudnn ? "the header of cuDNN is not found" : "a header of CUDA is not found",
            cudnn ? "install the development package of cuDNN, or name its include directory"
                  : "install the headers of the toolkit"};
  if (has("undefined reference") || has("unresolved external") || has("undefined symbol"))
    return {"header-library-mismatch", "a function that the header promises is not in the library",
            "use headers and libraries of one version"};
  if (has("cannot find -l") || has("cannot open file"))
    return {"build-config", "a library is not found by the linker",
            "name its directory with -L, or install its development package"};
  return {"build-config", step.name.starts_with("link") ? "it does not link" : "it does not compile",
          "look at the words of the compiler"};
}

void Check(const Scene& scene, Ruling& ruling) {
  if (Probed(scene, ruling) == nullptr) return;
  for (const ProbeFailure* failure : FailuresOf(scene, Trouble::kNotBuilt)) {
    const snapshot::ProbeStep& step = *failure->step;
    const Reason reason = ReasonOf(step);
    const std::string program = step.name.ends_with("cudnn") ? "a cuDNN program" : "a CUDA program";
    const std::string what = step.name.starts_with("link") ? " does not link: " : " does not compile: ";
    report::Finding& finding = ruling.Fire(program + what + std::string(reason.says),
                                           step.subject.empty() ? step.job : step.subject);
    finding.cause = reason.cause;
    finding.evidence.push_back(EvidenceOf(step));
    AddOutput(step, finding);
    finding.fix = {.text = std::string(reason.fix),
                   .commands = {"culprit check"},
                   .risk = "low",
                   .changes = ANewProbeTells("the program is built")};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL9014",
                           .name = "cuda_program_not_built",
                           .cause = "build-config",
                           .severity = report::Severity::kError,
                           .since = "0.5.0",
                           .title = "a small CUDA or cuDNN program does not compile or link",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cuda_program_not_built

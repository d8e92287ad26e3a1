// CUL2038: a Dockerfile uses the GPU during the build.
#include "base/text.h"
#include "rules/kit/recipe/recipe_facts.h"

namespace culprit::rules::gpu_used_during_build {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A RUN line runs nvidia-smi, or makes a framework use its GPU and fails without one.
## Why it breaks
`docker build` gives a step no GPU unless the step asks for one: there is no libcuda.so.1 and no nvidia-smi, so the
build stops here, or code that should be compiled "for the GPU of this machine" finds none.
## How culprit knows
From the commands in RUN lines.
## Fix
Do it when the container starts (ENTRYPOINT), and name the GPUs to compile for: TORCH_CUDA_ARCH_LIST,
CMAKE_CUDA_ARCHITECTURES. Or give that step a GPU: `RUN --device=nvidia.com/gpu=all`, with BuildKit 0.20 or later and
CDI set up on the build host.
## When this is not your problem
The command may fail (`|| true`) or is in a branch that is not taken (`if command -v nvidia-smi`; culprit is silent
about these), or the daemon's default runtime is nvidia and it builds without BuildKit.
## Sources
Docker documentation, Container Device Interface (build); moby/buildkit@5d47cc18: docs/cdi.md (RUN --device since BuildKit 0.20);
NVIDIA/nvidia-docker wiki, Frequently Asked Questions (GPU during a build: the default runtime); moby/buildkit issue 1800 (not with BuildKit);
PyTorch documentation, torch.utils.cpp_extension (compiles for the cards that it sees).
)md";

// Why a command fails without a GPU; "" if it need not.
std::string NeedsGpu(const RecipeStep& step) {
  if (Calls(step, "nvidia-smi")) return "nvidia-smi";
  if (step.words.empty() || !base::BaseName(step.words.front()).starts_with("python")) return "";
  for (const std::string& word : step.words) {
    const bool asks =
        base::Contains(word, "torch.cuda.is_available()") || base::Contains(word, "list_physical_devices");
    if (asks && base::Contains(word, "assert")) return "an assertion that there is a GPU";
    for (const char* call : {"torch.cuda.get_device", "torch.cuda.current_device", ".cuda()", "device='cuda'",
                             "device=\"cuda\""}) {
      if (base::Contains(word, call)) return call;
    }
  }
  return "";
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const PartView& view : AllParts(scene)) {
    for (const PartView::Step& step : view.steps) {
      if (step.part != view.part || step->kind != StepKind::kRun) continue;
      if (step->may_fail || step->conditional || step->device) continue;
      const std::string what = NeedsGpu(*step.step);
      if (what.empty()) continue;
      report::Finding& finding =
          FireAt(ruling, "the build uses a GPU (" + what + "), but docker build provides none", *step.recipe,
                 *step.part, step->line);
      finding.evidence.push_back(AsEvidence(step));
      finding.fix = {.text = "run it when the container starts, or allow it to fail: `|| true`",
                     .commands = {},
                     .risk = report::Risk::kNone};
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL2038",
                           .name = "gpu_used_during_build",
                           .family = Family::kVisibility,
                           .explains = Explains::kNothing,
                           .cause = "container-runtime",
                           .severity = report::Severity::kWarning,
                           .looks_at = LooksAt::kRecipe,
                           .since = "0.9.0",
                           .title = "a Dockerfile uses the GPU during the build",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::gpu_used_during_build

// CUL2039: several GPU processes share the 64 MB of /dev/shm that a container has by default.
#include "base/text.h"
#include "rules/kit/recipe/recipe_facts.h"

namespace culprit::rules::shared_memory_small {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A container starts several processes that exchange data through shared memory, and has the default /dev/shm of 64 MB.

## Why it breaks
NCCL and the workers of a DataLoader put their buffers into /dev/shm: "Bus error", "unable to write to file </torch_...>", NCCL's
"Error while creating shared memory segment".

## How culprit knows
The command (`torchrun` with more than one process, `--tensor-parallel-size` above 1), and that neither shm_size nor the host's IPC nor a volume
at /dev/shm is there.

## Fix
In a compose file set shm_size: 8gb or ipc: host; in a pod mount an emptyDir with medium: Memory at /dev/shm.

## When this is not your problem
The processes do not use shared memory (NCCL_SHM_DISABLE=1 with one worker), or another file sets shm_size. Culprit is silent about a service
that extends one of another file.

## Sources
NVIDIA/nccl@5067397c: docs/userguide/source/troubleshooting/runtime_and_mpi_issues.rst (shared memory, Docker), src/os/linux.cc (the message);
vLLM documentation, using Docker (--ipc=host or --shm-size); moby/moby issue 29492 and containerd/containerd discussion 8568 (64 MB).
)md";

// How many processes a command starts on GPUs; "" if it does not say.
std::string Processes(const RecipeStep& step) {
  for (size_t i = 0; i < step.words.size(); ++i) {
    const std::string& word = step.words[i];
    for (const std::string_view option :
         {"--nproc_per_node", "--nproc-per-node", "--tensor-parallel-size", "-tp"}) {
      if (word == option && i + 1 < step.words.size()) return step.words[i + 1];
      if (word.starts_with(option) && word.size() > option.size() && word[option.size()] == '=')
        return word.substr(option.size() + 1);
    }
  }
  return "";
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const PartView& view : Started(scene)) {
    if (view.recipe->kind == snapshot::RecipeKind::kDockerfile || view.part->open ||
        !view.part->shm_size.empty() || view.Variable("NCCL_SHM_DISABLE") != nullptr)
      continue;
    for (const PartView::Step& step : view.steps) {
      const std::string count = step->kind == StepKind::kStart ? Processes(*step.step) : "";
      if (!base::IsNumber(count) || count == "0" || count == "1") continue;
      report::Finding& finding = FireAt(
          ruling, view.part->name + " starts " + count + " GPU processes with the default /dev/shm of 64 MB",
          *view.recipe, *view.part, view.part->line);
      finding.evidence.push_back(AsEvidence(step));
      finding.evidence.push_back({"neither shm_size nor the host's IPC nor a volume at /dev/shm",
                                  PlaceOf(*view.recipe, view.part->line)});
      const bool pod = view.recipe->kind == snapshot::RecipeKind::kKubernetes;
      finding.fix = {.text = pod ? "mount an emptyDir with medium: Memory at /dev/shm"
                                 : "set shm_size: 8gb, or ipc: host",
                     .commands = {},
                     .risk = report::Risk::kLow};
      break;
    }
  }
}

}  // namespace

extern const Rule kRule = {
    .code = "CUL2039",
    .name = "shared_memory_small",
    .family = Family::kVisibility,
    .explains = Explains::kNothing,
    .cause = "communication",
    .severity = report::Severity::kWarning,
    .looks_at = LooksAt::kRecipe,
    .since = "0.9.0",
    .title = "several GPU processes share the 64 MB of /dev/shm that a container has by default",
    .page = kPage,
    .check = Check};

}  // namespace culprit::rules::shared_memory_small

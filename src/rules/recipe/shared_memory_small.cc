// CUL2039: several GPU processes share a container's default 64 MB of /dev/shm.
#include "base/text.h"
#include "rules/kit/recipe/recipe_facts.h"

namespace culprit::rules::shared_memory_small {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A container starts several processes that exchange data through shared memory, but has only the default 64 MB of
/dev/shm.
## Why it breaks
NCCL and the workers of a DataLoader put their buffers into /dev/shm: "Bus error", "unable to write to file </torch_...>", NCCL's
"Error while creating shared memory segment".

## How culprit knows
From the command (`torchrun` with more than one process, `--tensor-parallel-size` above 1), if there is no shm_size,
no host IPC and no volume at /dev/shm.
## Fix
In a compose file set shm_size: 8gb or ipc: host; in a pod, mount an emptyDir with medium: Memory at /dev/shm.
## When this is not your problem
The processes do not use shared memory (NCCL_SHM_DISABLE=1 with one worker), or another file sets shm_size. Culprit is
silent about a service that extends one in another file.
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
          ruling, view.part->name + " starts " + count + " GPU processes with the default 64 MB of /dev/shm",
          *view.recipe, *view.part, view.part->line);
      finding.evidence.push_back(AsEvidence(step));
      finding.evidence.push_back(
          {"no shm_size, no host IPC and no volume at /dev/shm", PlaceOf(*view.recipe, view.part->line)});
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

extern const Rule kRule = {.code = "CUL2039",
                           .name = "shared_memory_small",
                           .family = Family::kVisibility,
                           .explains = Explains::kNothing,
                           .cause = "communication",
                           .severity = report::Severity::kWarning,
                           .looks_at = LooksAt::kRecipe,
                           .since = "0.9.0",
                           .title = "several GPU processes share a container's default 64 MB of /dev/shm",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::shared_memory_small

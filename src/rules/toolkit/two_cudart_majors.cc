// CUL4010: two generations of the CUDA runtime meet in one process.
#include <map>

#include "rules/kit/load_facts.h"
#include "rules/kit/load_fixes.h"
#include "rules/rule.h"

namespace culprit::rules::two_cudart_majors {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The process loads the CUDA runtime of two major versions, because parts of it were built for different ones.

## Why it breaks
Each part uses its own runtime, so it can work; they share the context of the driver. cudnn-frontend refuses it:
"Multiple libcudart libraries found".

## How culprit knows
The load is played; both sonames are among what is loaded.

## Fix
Bring all packages of the process to one CUDA major where you can.

## When this is not your problem
Most programs run so without harm, which is why this is a note.

## Sources
cudnn_frontend_shim.h of cudnn-frontend.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const loader::Scenario& scenario : scene.scenarios) {
    std::map<std::string, const loader::Object*> runtimes;
    for (const loader::Object& object : scenario.graph.objects) {
      const knowledge::Library* library = LibraryOf(object);
      if (library == nullptr || library->name != "cudart") continue;
      const std::string cuda = CudaOfSoname(
          *library, object.elf != nullptr && object.elf->soname ? *object.elf->soname : object.name);
      if (!cuda.empty()) runtimes.emplace(cuda, &object);
    }
    if (runtimes.size() < 2) continue;
    const auto& [low, first] = *runtimes.begin();
    const auto& [high, last] = *runtimes.rbegin();
    report::Finding& finding =
        ruling.Fire("the runtimes of CUDA " + low + " (" + first->path + ") and CUDA " + high + " (" +
                        last->path + ") meet in one process",
                    last->path);
    finding.affects.push_back(scenario.title);
    for (const auto& [cuda, object] : runtimes) {
      finding.evidence.push_back({object->path + " is the runtime of CUDA " + cuda + ", found through " +
                                      CameThrough(scenario, *object),
                                  object->path});
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL4010",
                           .name = "two_cudart_majors",
                           .cause = "cuda-mixed-versions",
                           .severity = report::Severity::kNote,
                           .since = "0.2.0",
                           .title = "two generations of the CUDA runtime meet in one process",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::two_cudart_majors

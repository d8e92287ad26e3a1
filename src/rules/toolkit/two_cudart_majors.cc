// CUL4010: one process loads two major versions of the CUDA runtime.
#include <map>

#include "rules/kit/load_facts.h"
#include "rules/kit/load_fixes.h"
#include "rules/rule.h"

namespace culprit::rules::two_cudart_majors {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The process loads two major versions of the CUDA runtime, because its libraries were built for different ones.

## Why it breaks
Each library uses its own runtime and they share the driver's context, so it can work. cudnn-frontend rejects it:
"Multiple libcudart libraries found".

## How culprit knows
It simulates the load; both sonames are loaded.

## Fix
If you can, install all packages of the process for one CUDA major.

## When this is not your problem
Most programs run fine this way, so this is only a note.

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
    report::Finding& finding = ruling.Fire("one process loads the runtimes of CUDA " + low + " (" +
                                               first->path + ") and CUDA " + high + " (" + last->path + ")",
                                           last->path, {first->path});
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
                           .family = Family::kToolkit,
                           .cause = "cuda-mixed-versions",
                           .severity = report::Severity::kNote,
                           .since = "0.2.0",
                           .title = "one process loads two major versions of the CUDA runtime",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::two_cudart_majors

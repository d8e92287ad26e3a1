// CUL4006: a CUDA library that is asked for is nowhere on the machine.
#include "loader/library_copies.h"
#include "rules/kit/cudnn/cudnn_facts.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/kit/python/package_changes.h"
#include "rules/rule.h"

namespace culprit::rules::cuda_library_missing {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A program needs a library of CUDA (cuBLAS, the runtime, cuFFT ...) of a certain generation, and no copy of any
generation is installed.

## Why it breaks
"libcublas.so.12: cannot open shared object file: No such file or directory". The driver does not bring these: they
come with the toolkit, with wheels, or with conda packages.

## How culprit knows
The load is played through a model of the loader; then the directories in which CUDA libraries are commonly
installed are listed.

## Fix
Install the package that brings it, of the CUDA generation that the name tells. The number of a soname is not always
the CUDA version: libcufft.so.11 belongs to CUDA 12.

## When this is not your problem
A build for CPUs never asks. That cuDNN has no NVRTC is a warning: only engines that are compiled at run time need it.

## Sources
File lists of the nvidia-* wheels; ld.so(8) and the source of glibc (elf/dl-load.c).
)md";

bool Mine(const Scene& scene, const FailedLoad& failed) {
  if (failed.library == nullptr || failed.IsCudnn() || failed.library->name == "nvrtc-builtins") return false;
  return !ExplainedByCudnnForAnotherCuda(scene, failed);
}

// cuDNN survives without NVRTC, and its engines that are compiled at run time do not: told where a package of
// the environment requires NVRTC, so that its absence is no choice.
void CheckNvrtcOfCudnn(const Scene& scene, Ruling& ruling) {
  for (const loader::Scenario& scenario : scene.scenarios) {
    const auto* environment = scene.EnvironmentOf(scenario);
    if (environment == nullptr) continue;
    for (const loader::Request& request : scenario.graph.requests) {
      const auto* library = knowledge::FindLibrary(request.name);
      if (request.error.empty() || !request.optional || request.alternative ||
          request.requester == loader::kNone)
        continue;
      const auto* asker = loader::LibraryOf(scenario.graph.objects[request.requester]);
      if (library == nullptr || library->name != "nvrtc" || asker == nullptr || asker->family != "cudnn")
        continue;
      const std::string cuda = CudaOfSoname(*library, request.name);
      const std::string package = cuda.empty() ? "" : PipPackage(*library, cuda);
      if (package.empty() || environment->Find(package) != nullptr) continue;
      const auto directories = loader::LibraryDirectories(scene.snapshot, scene.view);
      if (AskedOf(scene, *environment, package).empty() ||
          !loader::FindCopies(directories, scene.view, request.name).empty()) {
        continue;
      }
      const FailedLoad failed{.scenario = &scenario,
                              .request = &request,
                              .library = library,
                              .asker = scenario.graph.objects[request.requester].path,
                              .file = {},
                              .copies = {},
                              .unlisted = {}};
      report::Finding& finding = Fire(
          ruling, failed, request.name + ", with which cuDNN compiles engines, is nowhere on this machine",
          request.name);
      finding.cause = "dependent-missing";
      finding.severity = report::Severity::kWarning;
      finding.fix = Install(scene, failed);
    }
  }
}

void Check(const Scene& scene, Ruling& ruling) {
  CheckNvrtcOfCudnn(scene, ruling);
  NoteUncertain(scene, ruling);
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (failed.why != Why::kNowhere || !Mine(scene, failed)) continue;
    const std::string cuda = CudaOfSoname(*failed.library, failed.request->name);
    report::Finding& finding = Fire(ruling, failed,
                                    failed.request->name + (cuda.empty() ? "" : " (CUDA " + cuda + ")") +
                                        " is asked for and is nowhere on this machine",
                                    failed.request->name);
    finding.evidence.push_back(
        {"no copy of it in any searched or usual directory", "directories of libraries"});
    finding.fix = Install(scene, failed);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL4006",
                           .name = "cuda_library_missing",
                           .cause = "cuda-library-missing",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "a CUDA library that is asked for is nowhere on the machine",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cuda_library_missing

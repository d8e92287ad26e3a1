// CUL4006: a required CUDA library is not installed.
#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "base/text.h"
#include "loader/library_copies.h"
#include "rules/kit/cudnn/cudnn_facts.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/loading/gpu_loads.h"
#include "rules/kit/loading/missing_together.h"
#include "rules/kit/python/package_changes.h"
#include "rules/rule.h"

namespace culprit::rules::cuda_library_missing {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A program needs a CUDA library (cuBLAS, the runtime, cuFFT ...) of a certain major version, and no version of it is
installed.

## Why it breaks
"libcublas.so.12: cannot open shared object file: No such file or directory". The driver does not provide these libraries:
they come with the toolkit, with wheels, or with conda packages.

## How culprit knows
It simulates the load with a model of the loader, then lists the directories where CUDA libraries are usually
installed. For a program that opens libraries by name, culprit takes the names among its strings. It is not proven
that the program really opens them, so this is a warning, unless these names are its only way to CUDA.
## Fix
Install the package that provides it, for the CUDA major that the name implies. The number of a soname is not always
the CUDA version: libcufft.so.11 belongs to CUDA 12.

## When this is not your problem
A CPU-only build never needs it. If only cuDNN lacks NVRTC, it is a warning: only runtime-compiled engines need it.

## Sources
File lists of the nvidia-* wheels; ld.so(8) and the source of glibc (elf/dl-load.c).
)md";

// cuDNN works without NVRTC, but its runtime-compiled engines do not. Reported only if a package of the
// environment requires NVRTC, so that it is not missing on purpose.
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
      report::Finding& finding =
          Fire(ruling, failed, request.name + ", which cuDNN needs to compile engines, is not installed",
               request.name, {failed.asker});
      finding.cause = "dependent-missing";
      finding.severity = report::Severity::kWarning;
      finding.fix = Install(scene, failed);
    }
  }
}

// "libcublas.so.12 (CUDA 12) is required, but not installed".
std::string SummaryOf(const MissingTogether& load) {
  const std::string verb = load.size() == 1 ? " is" : " are";
  if (!load.front().request->guessed) return CudaNamesOf(load) + verb + " required, but not installed";
  return CudaNamesOf(load) + ", which " + load.front().asker + " opens according to its strings," + verb +
         " not installed";
}

// What stands where a library should be, and is none.
std::optional<report::Evidence> InPlaceOf(const std::string& name, const Scene& scene) {
  for (const std::string& directory : loader::LibraryDirectories(scene.snapshot, scene.view)) {
    const std::string path = base::JoinPath(directory, name);
    const snapshot::FileFacts& facts = scene.view.Open(path);
    const bool is_file = facts.error != base::PathError::kNone || facts.kind == snapshot::FileKind::kRegular;
    if (facts.dangling) return report::Evidence{path + " is a dangling symlink", path};
    if (facts.error == base::PathError::kLoop) return report::Evidence{path + " is a symlink loop", path};
    if (!is_file) return report::Evidence{path + " is not a regular file", path};
  }
  return std::nullopt;
}

void AddWhatIsThere(const Scene& scene, const MissingTogether& load, report::Finding& finding) {
  bool some = false;
  for (const FailedLoad& failed : load) {
    auto other = InPlaceOf(failed.request->name, scene);
    some |= other.has_value();
    if (other) finding.evidence.push_back(*std::move(other));
  }
  if (some) return;
  finding.evidence.push_back(
      {"no copy of " + std::string(load.size() == 1 ? "it" : "them") + " in any searched or usual directory",
       "library directories"});
}

// A package for GPUs without any CUDA: on a GPU that is an error, without one it just computes.
void TellWhatNeedsAHost(const Scene& scene, Ruling& ruling) {
  for (const loader::Scenario& scenario : scene.scenarios) {
    if (MayLoseGpu(scene, scenario))
      ruling.NotEnoughFacts("whether " + scenario.title + " should use a GPU",
                            "it finds no CUDA and would use the CPU; no GPU is known, pass --host");
  }
}

void Check(const Scene& scene, Ruling& ruling) {
  CheckNvrtcOfCudnn(scene, ruling);
  TellWhatNeedsAHost(scene, ruling);
  NoteUncertain(scene, ruling);
  for (const MissingTogether& load : MissingCudaLibraries(scene)) {
    if (InOtherMajor(load)) continue;  // CUL4008
    report::Finding& finding = Fire(ruling, load, SummaryOf(load));
    AddWhatIsThere(scene, load, finding);
    finding.fix = Install(scene, load);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL4006",
                           .name = "cuda_library_missing",
                           .family = Family::kToolkit,
                           .cause = "cuda-library-missing",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "a required CUDA library is not installed",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cuda_library_missing

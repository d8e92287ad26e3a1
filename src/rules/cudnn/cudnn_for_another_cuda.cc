// CUL3005: the loaded cuDNN was built for another CUDA.
#include "base/text.h"
#include "base/version.h"
#include "knowledge/cudnn.h"
#include "rules/kit/cudnn/cudnn_facts.h"
#include "rules/kit/cudnn/cudnn_fixes.h"
#include "rules/kit/file_fixes.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/loading/forced_copy.h"
#include "rules/kit/python/package_facts.h"
#include "rules/rule.h"

namespace culprit::rules::cudnn_for_another_cuda {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The process uses one CUDA major version, and the cuDNN that it loads was built for another. The version of cuDNN and the
CUDA it was built for are two facts: 9.19 exists for CUDA 12 and for CUDA 13.

## Why it breaks
cuDNN needs cuBLAS and NVRTC of its own CUDA major. It does not find them, or it loads a second set into the process.
Its CUDA runtime may also need a newer driver than the program does.

## How culprit knows
The CUDA of a copy comes from its package (nvidia-cudnn-cu12, libcudnn9-cuda-12), its RUNPATH, or library names inside
it; the CUDA of the process comes from the CUDA runtime that it loads.

## Fix
Install the same version of cuDNN for the program's CUDA. Wheels of two CUDA majors share one directory: uninstall the
wrong one first.

## When this is not your problem
No process loads the copy: then it may be for any CUDA.

## Sources
Package names of NVIDIA; file lists of the wheels.
)md";

bool BuiltFor(const std::string& cudnn, const std::string& cuda) {
  const auto release = base::Version::Parse(cudnn), wanted = base::Version::Parse(cuda);
  return release && wanted && knowledge::CudnnForCuda(*release, *wanted).verdict == knowledge::Verdict::kYes;
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const loader::Scenario& scenario : scene.scenarios) {
    const auto found = FindCudnnForAnotherCuda(scene, scenario);
    if (!found) continue;
    report::Finding& finding = ruling.Fire(found->cudnn + " was built for CUDA " + found->cudnn_cuda +
                                               ", the process uses CUDA " + found->process_cuda,
                                           found->cudnn, {found->cudnn_cuda, found->process_cuda});
    finding.affects.push_back(scenario.title);
    finding.evidence.push_back({"cuDNN for CUDA " + found->cudnn_cuda, found->cudnn_source});
    finding.evidence.push_back({"CUDA " + found->process_cuda + " in the process", found->process_source});
    // Without its own cuBLAS it cannot work; with it, it usually does.
    finding.severity = report::Severity::kWarning;
    for (const loader::Request& request : scenario.graph.requests) {
      const bool cublas =
          scene.OnWindows()
              ? request.name.starts_with("cublas") && request.name.ends_with("_" + found->cudnn_cuda + ".dll")
              : request.name.starts_with("libcublas") && request.name.ends_with("." + found->cudnn_cuda);
      if (!cublas || request.error.empty() || request.alternative) continue;
      finding.severity = report::Severity::kError;
      finding.evidence.push_back({request.error, "predicted by the loader model"});
    }
    if (auto own = LetOwnCudnnWin(scene, scenario, found->cudnn)) {
      finding.fix = *std::move(own);
      continue;
    }
    const auto* environment = scene.EnvironmentOf(scenario);
    const snapshot::CudnnCopy* copy = CopyOf(scene, found->cudnn);
    CudnnChoice choice = ChooseCudnn(scene, MajorOfName(base::BaseName(found->cudnn)), found->process_cuda);
    if (copy != nullptr && BuiltFor(copy->version, found->process_cuda)) choice.version = copy->version;
    finding.fix = InstallForAll(scene, choice, std::string(base::DirName(PlaceOf(scene, found->cudnn))));
    finding.fix.text += "; it replaces the one for CUDA " + found->cudnn_cuda;
    const std::string there = "nvidia-cudnn-cu" + found->cudnn_cuda;
    const auto* package = environment == nullptr ? nullptr : environment->Find(there);
    if (package != nullptr && PlaceOf(scene, found->cudnn).starts_with(environment->prefix + "/")) {
      // The builds of one release for several CUDAs have the same version.
      if (BuiltFor(package->version, found->process_cuda)) choice.build = package->version;
      finding.fix = InstallInto(scene, *environment, choice);
      finding.fix.text = "install cuDNN for CUDA " + found->process_cuda + " instead";
      finding.fix.commands.insert(finding.fix.commands.begin(),
                                  PipOf(*environment) + " uninstall -y " + Plain(there));
      finding.fix.changes.insert(finding.fix.changes.begin(),
                                 report::RemovePackage{environment->prefix, there});
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL3005",
                           .name = "cudnn_for_another_cuda",
                           .family = Family::kCudnn,
                           .cause = "cuda-version-mismatch",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "the loaded cuDNN was built for another CUDA",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cudnn_for_another_cuda

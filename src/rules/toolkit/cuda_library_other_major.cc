// CUL4008: only another major version of a CUDA library is installed.
#include "base/text.h"
#include "knowledge/libraries.h"
#include "rules/kit/cudnn/cudnn_facts.h"
#include "rules/kit/gpu_code/fitting_build.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/kit/python/rival_packages.h"
#include "rules/kit/search_fixes.h"
#include "rules/rule.h"

namespace culprit::rules::cuda_library_other_major {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The program was built for one CUDA major (libcublas.so.11, say), and the machine has the library of another one.

## Why it breaks
CUDA majors are not interchangeable, so their file names differ and the loader does not take one for the other.

## How culprit knows
The required name contains the major version; the names of the copies on disk contain theirs.

## Fix
Install the libraries of the CUDA major that the program was built for (majors can coexist), or install a build for the
installed CUDA. Do not symlink one major to the name of another: it loads, and then breaks.

## When this is not your problem
The CUDA version that nvidia-smi shows is what the driver supports, not an installed library.

## Sources
Release notes of CUDA 11, 12 and 13; file lists of the nvidia-* wheels.
)md";

// The same framework for the CUDA that is here, where it is a matter of the package.
std::optional<report::Fix> BuildFor(const Scene& scene, const snapshot::PythonEnvironment& environment,
                                    const snapshot::Framework& framework, const std::string& cuda) {
  if (framework.name == "onnxruntime") return OnnxruntimeFor(scene, environment, cuda);
  const Rivals own = RivalsIn(environment, [&](const auto& package) {
    return package.name == framework.package && package.name.starts_with("cupy-cuda");
  });
  if (own.empty() || cuda.empty()) return std::nullopt;
  return KeepOnly(scene, environment, own, {"cupy-cuda" + cuda + "x", own.front()->version},
                  "install CuPy for CUDA " + cuda + ", which this machine has");
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (failed.why != Why::kOtherMajor || !IsOfToolkit(scene, failed)) continue;
    const std::string& there = failed.copies.front().path;
    const std::string cuda = CudaOfSoname(*failed.library, failed.request->name);
    report::Finding& finding =
        Fire(ruling, failed,
             failed.request->name + (cuda.empty() ? "" : " (CUDA " + cuda + ")") +
                 " is required, this machine has " + std::string(base::BaseName(there)) + " in " +
                 std::string(base::DirName(there)),
             failed.request->name, {there});
    AddCopies(scene, failed, " is another major version", finding);
    finding.fix = Install(scene, failed);
    const auto* environment = scene.EnvironmentOf(*failed.scenario);
    const auto* framework = scene.FrameworkOf(*failed.scenario);
    const std::string real(base::BaseName(scene.view.RealPath(there)));  // libcufft.so is libcufft.so.11.3.3
    const auto* other = knowledge::FindLibrary(real);
    // Where others of the right major are loaded, this one alone is wrong.
    const bool alone = std::ranges::any_of(failed.scenario->graph.objects, [&](const loader::Object& object) {
      const auto* library = LibraryOf(object);
      return library != nullptr && library->family == "cuda" && !cuda.empty() &&
             CudaOfSoname(*library, base::BaseName(object.path)) == cuda;
    });
    if (environment == nullptr || framework == nullptr || other == nullptr || alone) continue;
    std::string here = CudaOfSoname(*other, real);
    if (const auto version =
            here.empty() ? scene.view.Version(there) : snapshot::Fact<snapshot::LibraryVersion>())
      here = base::Split(version->cuda, '.').front();
    if (auto fix = BuildFor(scene, *environment, *framework, here)) finding.fix = *std::move(fix);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL4008",
                           .name = "cuda_library_other_major",
                           .family = Family::kToolkit,
                           .root = report::Root::kOtherBuild,
                           .cause = "cuda-version-mismatch",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "only another major version of a CUDA library is installed",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cuda_library_other_major

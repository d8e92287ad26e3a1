// CUL4008: only another major version of a CUDA library is installed.
#include "base/text.h"
#include "knowledge/libraries.h"
#include "rules/kit/cudnn/cudnn_facts.h"
#include "rules/kit/gpu_code/fitting_build.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/loading/missing_together.h"
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

// Whether libraries of that CUDA are loaded already, so that only those that are missing are wrong.
bool LoadsOthersOf(const loader::Scenario& scenario, const std::string& cuda) {
  return !cuda.empty() && std::ranges::any_of(scenario.graph.objects, [&](const loader::Object& object) {
    const auto* library = LibraryOf(object);
    return library != nullptr && library->family == "cuda" &&
           CudaOfSoname(*library, base::BaseName(object.path)) == cuda;
  });
}

// The CUDA major of a file: libcufft.so is libcufft.so.11.3.3, which is of CUDA 12; "" unknown.
std::string CudaOfFile(const Scene& scene, const std::string& path) {
  const std::string real(base::BaseName(scene.view.RealPath(path)));
  const auto* library = knowledge::FindLibrary(real);
  if (library == nullptr) return "";
  if (std::string cuda = CudaOfSoname(*library, real); !cuda.empty()) return cuda;
  const auto version = scene.view.Version(path);
  return version ? base::Split(version->cuda, '.').front() : "";
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const MissingTogether& load : MissingCudaLibraries(scene)) {
    if (!InOtherMajor(load)) continue;  // CUL4006
    const FailedLoad& first = *std::ranges::find(load, Why::kOtherMajor, &FailedLoad::why);
    const std::string& there = first.copies.front().path;
    report::Finding& finding =
        Fire(ruling, load,
             CudaNamesOf(load) + (load.size() == 1 ? " is" : " are") + " required, this machine has " +
                 std::string(base::BaseName(there)) + " in " + std::string(base::DirName(there)),
             {there});
    for (const FailedLoad& failed : load) AddCopies(scene, failed, " is another major version", finding);
    finding.fix = Install(scene, load);
    const auto* environment = scene.EnvironmentOf(*first.scenario);
    const auto* framework = scene.FrameworkOf(*first.scenario);
    if (environment == nullptr || framework == nullptr) continue;
    if (LoadsOthersOf(*first.scenario, CudaOfSoname(*first.library, first.request->name))) continue;
    const std::string cuda = CudaOfFile(scene, there);
    if (auto fix = BuildFor(scene, *environment, *framework, cuda)) finding.fix = *std::move(fix);
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

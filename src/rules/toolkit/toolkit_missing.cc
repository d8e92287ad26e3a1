// CUL4001: a variable points to a CUDA toolkit, but none is installed.
#include <algorithm>

#include "base/text.h"
#include "knowledge/libraries.h"
#include "rules/kit/toolkit/toolkit_facts.h"
#include "rules/kit/variables/variable_fixes.h"

namespace culprit::rules::toolkit_missing {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A variable such as CUDA_HOME points to a CUDA toolkit, but no toolkit with a compiler is installed.

## Why it breaks
Extension builds fail: "CUDA_HOME environment variable is not set" or "/usr/local/cuda/bin/nvcc: No such file or
directory". Programs that are already built do not need a toolkit.

## How culprit knows
culprit looks in all usual places (/usr/local/cuda*, /opt/cuda, the HPC SDK, distribution, conda, wheels, PATH).

## Fix
If you want to build, install a toolkit of the CUDA version that your framework was built for; otherwise unset the
variable.

## When this is not your problem
Running PyTorch, TensorFlow or JAX from wheels needs no toolkit. A directory with CUDA libraries and no nvcc, such as a conda
environment, is what CuPy looks for, and is not reported.

## Sources
torch/utils/cpp_extension.py; documentation of CMake (FindCUDAToolkit).
)md";

// CuPy, numba and others only look for libraries there: a conda environment has these, and no nvcc; numba
// takes libnvvm of a wheel.
bool HasCudaLibraries(const Scene& scene, const std::string& directory) {
  for (const char* below : {"lib64", "lib", "nvvm/lib64", "bin", "bin/x64", "nvvm/bin"}) {
    const auto items = scene.view.List(base::JoinPath(directory, below));
    if (items && std::ranges::any_of(*items, [](const snapshot::DirectoryItem& item) {
          return knowledge::FindLibrary(item.name) != nullptr;
        }))
      return true;
  }
  return false;
}

constexpr const char* kVariables[] = {"CUDA_HOME", "CUDA_PATH"};

void Check(const Scene& scene, Ruling& ruling) {
  if (!scene.stack().toolkits) {
    return ruling.NotEnoughFacts("CUDA toolkits", scene.stack().toolkits.why);
  }
  if (!Compilers(scene).empty()) return;
  for (const char* name : kVariables) {
    const std::string value(scene.Variable(name));
    if (value.empty() || ToolkitAt(scene, value) != nullptr) continue;  // one without nvcc is a runtime
    if (HasCudaLibraries(scene, scene.PathOf(value))) continue;
    // The Windows installer sets the variable for all users, whatever components were chosen.
    if (scene.OnWindows() && scene.view.Directory(scene.PathOf(value)) == base::PathError::kNone) continue;
    report::Finding& finding =
        ruling.Fire(std::string(name) + "=" + value + ", but no CUDA toolkit with nvcc is installed", name);
    finding.evidence.push_back({std::string(name) + "=" + value, "environment"});
    finding.evidence.push_back(
        {"no nvcc in /usr/local/cuda*, /opt/cuda*, the HPC SDK, the distribution's directory or PATH",
         "toolkit directories"});
    finding.fix =
        SetOrUnset(scene, name, "", "install a toolkit if you want to build, otherwise unset the variable");
    return;
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL4001",
                           .name = "toolkit_missing",
                           .family = Family::kToolkit,
                           .explains = Explains::kCompilerFiles | Explains::kCudaFiles | Explains::kFramework,
                           .cause = "toolkit-missing",
                           .severity = report::Severity::kWarning,
                           .since = "0.2.0",
                           .title = "a variable points to a CUDA toolkit, but none is installed",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::toolkit_missing

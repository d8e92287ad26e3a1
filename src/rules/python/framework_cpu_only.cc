// CUL6001: a CPU-only build on a machine with an NVIDIA GPU.
#include <algorithm>

#include "base/text.h"
#include "base/version.h"
#include "knowledge/packages/imports.h"
#include "rules/kit/gpu_code/fitting_build.h"
#include "rules/kit/python/package_facts.h"

namespace culprit::rules::framework_cpu_only {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The framework that this environment imports was built for the CPU only. It works, and never uses the GPU.

## Why it breaks
`torch.cuda.is_available()` is False, "Torch not compiled with CUDA enabled", `CUDAExecutionProvider` is not among the
available providers. No driver and no CUDA installation changes that: the code is not in the file.

## How culprit knows
It reads the framework's own build facts: `cuda` in torch/version.py, `is_cuda_build` of TensorFlow, `cuda_version` of
onnxruntime, `cuda_version` of Paddle. Nothing is imported.

## Fix
Replace it with a CUDA build. Uninstall first: for some packages the CPU and the GPU build have different names and
overwrite each other.
## When this is not your problem
You want the CPU, or the GPU is for something else: if another framework in the environment uses it, this is a note. JAX
without its CUDA plugin is reported as CUL6010.

## Sources
torch/version.py and tools/generate_torch_version.py of PyTorch; tensorflow/tools/build_info; onnxruntime
build_and_package_info.py.
)md";

// The replacement with CUDA: the same release if one matches, otherwise the newest.
report::Fix FixFor(const Scene& scene, const snapshot::PythonEnvironment& environment,
                   const snapshot::Framework& framework) {
  const Command pip = PipOf(environment);
  const std::string package = framework.package.empty() ? framework.name : framework.package;
  report::Fix fix{
      .text = {}, .commands = {pip + " uninstall -y " + Plain(package)}, .risk = report::Risk::kMedium};
  auto fitting = FindFittingBuild(scene, environment, framework.name, PublicVersion(framework.version));
  // onnxruntime bundles no CUDA: choose the build whose CUDA packages are already installed.
  if (fitting && framework.name == "onnxruntime" && !HasCudaMajor(environment, fitting->row.cuda)) {
    for (const auto& one : environment.packages) {
      const std::string major = CudaMajorOfPackage(one.name);
      if (!one.name.starts_with("nvidia-") || major.empty()) continue;
      if (auto other = FindFittingBuild(scene, environment, framework.name, "", major))
        fitting = std::move(other);
      break;
    }
  }
  if (!fitting) fitting = FindFittingBuild(scene, environment, framework.name);
  if (fitting) {
    fix.text = "install " + fitting->title + "; installing a CUDA toolkit does not help";
    fix.changes = {report::RemovePackage{environment.prefix, package}};
    InstallTogether(scene, environment, fitting->build, fix);
    return fix;
  }
  fix.text = "install a build with CUDA; installing a CUDA toolkit does not help";
  if (framework.name == "paddle") {
    fix.commands.push_back(pip + " install paddlepaddle-gpu");
  } else {
    fix.text += ". culprit knows no release that supports this driver, GPU and Python";
    fix.commands = {"culprit plan " + Plain(framework.name)};
  }
  return fix;
}

// Whether something else in the environment is built for the GPU: then the CPU build is probably intended.
bool AnotherUsesTheGpu(const snapshot::PythonEnvironment& environment, const snapshot::Framework& framework) {
  const auto built_on_it = [&](const snapshot::Framework& other) {
    return std::ranges::any_of(knowledge::ImportsFirsts(), [&](const knowledge::ImportsFirst& first) {
      return first.framework == other.name && first.other == framework.name;
    });
  };
  return std::ranges::any_of(environment.frameworks, [&](const snapshot::Framework& other) {
    return other.name != framework.name && !other.cpu_only &&
           (!other.cuda.empty() || (!other.libraries.empty() && !built_on_it(other)));
  });
}

// TensorFlow after 2.10 has no other build on Windows.
bool HasNoGpuOnWindows(const snapshot::Framework& framework) {
  const auto version = base::Version::Parse(framework.version);
  return framework.name == "tensorflow" && version && *base::Version::Parse("2.11") <= *version;
}

void Check(const Scene& scene, Ruling& ruling) {
  const Presence gpu = GpuExpected(scene);
  EnvironmentsOf(scene, ruling);  // notes missing facts
  if (!scene.stack().environments) return;
  for (const auto& environment : *scene.stack().environments) {
    for (const auto& framework : environment.frameworks) {
      // JAX's plugin has its own rule; packages built on torch follow torch.
      const bool leads = framework.name == "torch" || framework.name == "tensorflow" ||
                         framework.name == "onnxruntime" || framework.name == "paddle";
      if (!leads || !framework.cpu_only || gpu == Presence::kNo) continue;
      if (scene.OnWindows() && HasNoGpuOnWindows(framework)) continue;  // CUL6020
      report::Finding& finding =
          ruling.Fire(framework.name + " " + framework.version + " in " + environment.prefix +
                          " is a build without CUDA" +
                          (gpu == Presence::kYes ? ", but this machine has an NVIDIA GPU" : ""),
                      framework.directory, {environment.prefix});
      if (gpu == Presence::kUnknown || AnotherUsesTheGpu(environment, framework)) {
        finding.severity = report::Severity::kNote;
      }
      finding.affects.push_back(TitleOf(environment, framework));
      finding.evidence.push_back({"its build facts say that it was built without CUDA", framework.source});
      if (gpu == Presence::kYes && scene.stack().gpus) {
        const snapshot::Gpu& first = scene.stack().gpus->front();
        finding.evidence.push_back(
            {first.name.empty() ? "GPU with compute capability " + first.compute_capability : first.name,
             first.assumed ? "--host" : first.source});
      }
      finding.fix = FixFor(scene, environment, framework);
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL6001",
                           .name = "framework_cpu_only",
                           .family = Family::kPython,
                           .cause = "framework-cpu-only",
                           .severity = report::Severity::kWarning,
                           .since = "0.2.0",
                           .title = "the framework is a CPU-only build, but the machine has a GPU",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::framework_cpu_only

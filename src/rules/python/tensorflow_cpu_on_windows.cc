// CUL6020: TensorFlow 2.11 and later on Windows.
#include "base/version.h"
#include "rules/kit/python/package_facts.h"
#include "rules/rule.h"

namespace culprit::rules::tensorflow_cpu_on_windows {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
TensorFlow 2.11 or later is installed. Its Windows wheels are CPU builds; 2.10 was the last with CUDA.

## Why it breaks
`tf.config.list_physical_devices('GPU')` is empty, whatever CUDA and cuDNN are installed.

## How culprit knows
From the version of the package and TensorFlow's own install page.
## Fix
Use WSL2 with tensorflow[and-cuda], or TensorFlow 2.10 with CUDA 11.2 and cuDNN 8.1 and Python 3.10 or older. Installing another
CUDA does not help.

## When this is not your problem
The CPU is enough, or you use the DirectML plugin.

## Sources
TensorFlow, Install TensorFlow with pip (Windows Native: "2.10 was the last TensorFlow release that supported GPU on native-Windows").
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const Presence gpu = GpuPresence(scene);
  if (!scene.stack().environments || gpu == Presence::kNo) return ruling.NotApplicable();
  for (const snapshot::PythonEnvironment& environment : *scene.stack().environments) {
    for (const snapshot::Framework& framework : environment.frameworks) {
      const auto version = base::Version::Parse(framework.version);
      if (framework.name != "tensorflow" || !version || *version < *base::Version::Parse("2.11")) continue;
      report::Finding& finding =
          ruling.Fire("tensorflow " + framework.version + " in " + environment.prefix +
                          " runs on the CPU only: 2.10 was the last with CUDA on Windows",
                      framework.directory, {environment.prefix});
      if (gpu == Presence::kUnknown) finding.severity = report::Severity::kNote;
      finding.affects.push_back("tensorflow " + framework.version + " in " + environment.prefix);
      finding.evidence.push_back({"its version is " + framework.version, framework.source});
      finding.fix = {
          .text =
              "use it in WSL2, or use TensorFlow 2.10 with CUDA 11.2 and cuDNN 8.1; another CUDA does not "
              "help",
          .commands = {"wsl --install", "python3 -m pip install \"tensorflow[and-cuda]\"   # inside WSL"},
          .risk = report::Risk::kLow,
          .changes = {report::NotInFiles{"TensorFlow in WSL2", "that is another machine"}}};
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL6020",
                           .name = "tensorflow_cpu_on_windows",
                           .family = Family::kPython,
                           .cause = "framework-cpu-only",
                           .severity = report::Severity::kWarning,
                           .where = Where::kWindows,
                           .since = "0.4.0",
                           .title = "TensorFlow after 2.10 has no GPU support on native Windows",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::tensorflow_cpu_on_windows

// CUL4005: the nvcc on PATH and CUDA_HOME belong to different toolkits.
#include "rules/kit/toolkit/toolkit_facts.h"
#include "rules/rule.h"

namespace culprit::rules::nvcc_differs_from_cuda_home {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
CUDA_HOME points to one toolkit, and the nvcc on PATH belongs to another release.

## Why it breaks
Build systems that mix the two compile with one release and link against the other. Make and CMake usually take nvcc
from PATH, torch extensions take CUDA_HOME.

## How culprit knows
culprit follows the nvcc on PATH to its toolkit and compares its release with that of CUDA_HOME.

## Fix
Put the bin directory of CUDA_HOME first on PATH, or set CUDA_HOME to the other toolkit.

## When this is not your problem
You build nothing: then neither is used.

## Sources
torch/utils/cpp_extension.py; documentation of CMake (FindCUDAToolkit).
)md";

constexpr const char* kVariables[] = {"CUDA_HOME", "CUDA_PATH"};

void Check(const Scene& scene, Ruling& ruling) {
  if (!scene.stack().toolkits) return;
  const std::string& nvcc = scene.stack().toolkits->nvcc_on_path;
  const snapshot::Toolkit* by_path = ToolkitOfNvcc(scene, nvcc);
  if (by_path == nullptr) return;
  for (const char* name : kVariables) {
    const std::string value(scene.Variable(name));
    const snapshot::Toolkit* home = ToolkitAt(scene, value);
    if (home == nullptr || home == by_path || home->nvcc.empty()) continue;
    if (Release(home->version) == Release(by_path->version)) continue;
    report::Finding& finding = ruling.Fire(
        nvcc + " is CUDA " + by_path->version + ", " + name + "=" + value + " is CUDA " + home->version,
        name);
    finding.evidence.push_back({nvcc + " is CUDA " + by_path->version, by_path->source});
    finding.evidence.push_back({value + " is CUDA " + home->version, home->source});
    finding.fix = {.text = "let both point to one toolkit",
                   .commands = {scene.OnWindows() ? "set \"PATH=" + InQuotes(value) + "\\bin;%PATH%\""
                                                  : "export PATH=" + Word(value) + "/bin:$PATH"},
                   .risk = report::Risk::kLow,
                   .changes = {report::AddToList{"PATH", value + (scene.OnWindows() ? "\\bin" : "/bin")}}};
    return;
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL4005",
                           .name = "nvcc_differs_from_cuda_home",
                           .family = Family::kToolkit,
                           .cause = "toolkit-missing",
                           .severity = report::Severity::kWarning,
                           .since = "0.2.0",
                           .title = "the nvcc on PATH and CUDA_HOME belong to different toolkits",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::nvcc_differs_from_cuda_home

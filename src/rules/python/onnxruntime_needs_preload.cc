// CUL6012: onnxruntime's CUDA provider finds its libraries only after preload_dlls() or import torch.
#include "base/text.h"
#include "knowledge/libraries.h"
#include "loader/imports.h"
#include "rules/kit/python/package_facts.h"

namespace culprit::rules::onnxruntime_needs_preload {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The CUDA libraries that onnxruntime-gpu needs are in this environment (nvidia/*/lib), but its provider has no RUNPATH to
them. They are found only if the program loads them first.

## Why it breaks
"Failed to load library libonnxruntime_providers_cuda.so with error: libcublasLt.so.12: cannot open shared object file";
the session then runs on the CPU and only logs it.

## How culprit knows
It simulates loading the provider twice: as it is, and after loading the libraries that preload_dlls() opens. The first
load fails, the second works.

## Fix
Call `onnxruntime.preload_dlls()` after the import and before the first session, or import torch (for the same CUDA
major) first. Setting LD_LIBRARY_PATH also works, but affects every other program in the shell too.

## When this is not your problem
Your program already does one of these.

## Sources
onnxruntime-gpu 1.31.1: onnxruntime/__init__.py preload_dlls; DT_NEEDED and run paths of
libonnxruntime_providers_cuda.so.
)md";

// The first CUDA library that the provider does not find; "" if it finds all.
std::string LackOf(const std::string& provider, const loader::LoadGraph& graph) {
  for (const auto& request : graph.requests) {
    const auto* library = knowledge::FindLibrary(request.name);
    if (request.error.empty() || request.requester_path != provider || library == nullptr) continue;
    if (library->family != "driver") return request.name;
  }
  return "";
}

// The same where nobody preloads and it would have found it otherwise.
std::string MissingWithoutPreload(const Scene& scene, const snapshot::PythonEnvironment& environment,
                                  const snapshot::Framework& framework, const loader::Scenario& scenario) {
  const std::string& provider = framework.libraries.front();
  auto steps = loader::ImportSteps(scene.snapshot, environment, framework, scene.view);
  const auto preloads =
      std::erase_if(steps, [](const loader::ImportStep& step) { return step.label == "preload_dlls"; });
  if (preloads == 0 || !LackOf(provider, scenario.graph).empty()) return "";
  return LackOf(provider, loader::Load(scene.snapshot, scene.view,
                                       {.target = environment.interpreter,
                                        .interpreter = scenario.graph.interpreter,
                                        .imports = steps}));
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const auto& environment : EnvironmentsOf(scene, ruling)) {
    const auto* framework = FindFramework(environment, "onnxruntime");
    const auto* scenario = ScenarioOf(scene, environment, "onnxruntime");
    if (framework == nullptr || scenario == nullptr || framework->libraries.empty()) continue;
    if (scenario->WasSeen()) continue;  // an observed process shows what it did
    const std::string& provider = framework->libraries.front();
    const std::string& missing = scene.memo->Once("CUL6012 " + environment.prefix, [&] {
      return MissingWithoutPreload(scene, environment, *framework, *scenario);
    });
    if (missing.empty()) continue;
    report::Finding& finding =
        ruling.Fire("onnxruntime " + framework->version + " in " + environment.prefix + " finds " + missing +
                        " only after onnxruntime.preload_dlls() or import torch",
                    provider, {environment.prefix, missing});
    finding.affects.push_back(scenario->title);
    finding.evidence.push_back({"it needs " + missing + " and has no RUNPATH to nvidia/*/lib", provider});
    finding.fix = {
        .text = "call preload_dlls() before the first session",
        .commands = {PythonOf(environment) + " -c \"import onnxruntime as ort; ort.preload_dlls(); "
                                             "print(ort.get_available_providers())\""},
        .risk = report::Risk::kNone,
        .changes = {report::NotInFiles{"the program calls preload_dlls()",
                                       "culprit does not read what a program calls"}}};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL6012",
                           .name = "onnxruntime_needs_preload",
                           .family = Family::kPython,
                           .cause = "search-path",
                           .severity = report::Severity::kNote,
                           .since = "0.2.0",
                           .title = "onnxruntime finds its CUDA libraries only if they are preloaded",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::onnxruntime_needs_preload

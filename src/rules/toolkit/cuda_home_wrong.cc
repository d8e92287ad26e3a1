// CUL4002: CUDA_HOME does not point to a toolkit.
#include "base/text.h"
#include "base/windows/path.h"
#include "rules/kit/toolkit/toolkit_facts.h"
#include "rules/rule.h"

namespace culprit::rules::cuda_home_wrong {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
CUDA_HOME, CUDA_PATH or CUDACXX does not point to a toolkit (or an nvcc), but one is installed elsewhere.

## Why it breaks
Build systems trust the variable and search nowhere else: nvcc, headers or libraries "not found". XLA looks in CUDA_HOME
for ptxas and libdevice.

## How culprit knows
culprit looks into the directory: it has no nvcc, no version file, no cuda.h and no CUDA runtime.

## Fix
Set the variable to the root of the toolkit (not to its bin directory), or unset it.

## When this is not your problem
You build nothing and run no XLA program: then nothing reads the variable.

## Sources
torch/utils/cpp_extension.py; xla cuda_root_path.cc; documentation of CMake.
)md";

constexpr const char* kVariables[] = {"CUDA_HOME", "CUDA_PATH"};

void Check(const Scene& scene, Ruling& ruling) {
  const auto compilers = Compilers(scene);
  if (compilers.empty()) return;  // CUL4001
  const auto fire = [&](const std::string& name, const std::string& value, const std::string& what,
                        const std::string& better) {
    report::Finding& finding = ruling.Fire(
        name + "=" + value + " is not " + what + "; " + compilers.front()->root + " is one", name);
    finding.summary = name + "=" + value + " is not " + what + "; CUDA " + compilers.front()->version +
                      " is in " + compilers.front()->root;
    finding.evidence.push_back({name + "=" + value, "environment"});
    finding.evidence.push_back({"CUDA " + compilers.front()->version + " is in " + compilers.front()->root,
                                compilers.front()->source});
    finding.fix = {
        .text = "set it to an installed toolkit, or unset it",
        .commands = {scene.OnWindows() ? "set \"" + Plain(name) + "=" + InQuotes(better) + "\""
                                       : "export " + Plain(name) + "=" + Word(better)},
        .risk = report::Risk::kLow,
        .changes = {report::SetVariable{name, scene.OnWindows() ? base::ToWindowsPath(better) : better}}};
  };
  for (const char* name : kVariables) {
    const std::string value(scene.Variable(name));
    const bool list = !scene.OnWindows() && value.find(':') != std::string::npos;  // CUL4003
    if (value.empty() || list || ToolkitAt(scene, value) != nullptr) continue;
    if (scene.view.Directory(scene.PathOf(value)) == base::PathError::kNotRecorded) {
      ruling.NotEnoughFacts(name, "not recorded in the snapshot");
      continue;
    }
    const auto* above = ToolkitAt(scene, std::string(base::DirName(scene.PathOf(value))));  // .../bin
    fire(name, value, "a toolkit", above != nullptr ? above->root : compilers.front()->root);
  }
  const std::string nvcc(scene.Variable("CUDACXX"));
  if (nvcc.starts_with('/') && scene.view.Open(base::CleanPath(nvcc)).error == base::PathError::kNoEntry) {
    fire("CUDACXX", nvcc, "an nvcc", compilers.front()->nvcc);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL4002",
                           .name = "cuda_home_wrong",
                           .family = Family::kToolkit,
                           .explains = Explains::kCompilerFiles | Explains::kCudaFiles | Explains::kFramework,
                           .cause = "toolkit-missing",
                           .severity = report::Severity::kWarning,
                           .since = "0.2.0",
                           .title = "CUDA_HOME does not point to a toolkit",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cuda_home_wrong

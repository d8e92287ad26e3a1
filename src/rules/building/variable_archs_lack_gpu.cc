// CUL8013: an architecture list in a variable leaves out this GPU.
#include "base/version.h"
#include "knowledge/arch.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/kit/gpu_code/gpu_code_facts.h"
#include "rules/kit/python/package_facts.h"
#include "rules/kit/toolkit/toolkit_facts.h"
#include "rules/kit/variables/variable_facts.h"

namespace culprit::rules::variable_archs_lack_gpu {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A variable lists the architectures that extensions and projects are built for, and nothing in the list runs on this GPU.

## Why it breaks
The build succeeds, and the first kernel fails with "no kernel image is available for execution on the device" (209).
## How culprit knows
It reads the list as torch and CMake do: "8.0" is machine code, "8.0+PTX" has PTX too; a plain "80" of CMake has both.

## Fix
Add this GPU to the list, or unset the variable: torch then builds for the GPU it sees.

## When this is not your problem
You build for other machines, or build nothing.

## Sources
data/variables.toml, each row with its source; data/architectures.toml.
)md";

void CheckList(const ReadVariable& read, const snapshot::Gpu& gpu, Ruling& ruling) {
  const auto capability = base::Version::Parse(gpu.compute_capability);
  const std::vector<std::string> codes = knowledge::CodesInList(read.value);
  if (!capability || codes.empty()) return;
  const std::vector<std::string_view> views(codes.begin(), codes.end());
  if (knowledge::CodeRunsOn(views, *capability) != knowledge::CodeFit::kNo) return;
  const std::string name(read.row->name);
  report::Finding& finding = FireVariable(
      ruling, read, name + "=" + read.value + " builds nothing that runs on " + DisplayName(gpu));
  finding.evidence.push_back({DisplayName(gpu), gpu.assumed ? "--host" : gpu.source});
  const bool dotted = read.value.find('.') != std::string::npos;
  std::string number = gpu.compute_capability;
  if (!dotted) std::erase(number, '.');
  const std::string better = read.value + ";" + number;
  finding.fix = {.text = "add this GPU to the list, then build again",
                 .commands = {"export " + Plain(name) + "=" + Quoted(better)},
                 .risk = report::Risk::kLow,
                 .changes = {report::SetVariable{name, better}}};
}

void Check(const Scene& scene, Ruling& ruling) {
  if (Compilers(scene).empty() || GpuPresence(scene) != Presence::kYes) return ruling.NotApplicable();
  for (const ReadVariable& read : ReadVariables(scene, knowledge::VariableKind::kArchs)) {
    for (const snapshot::Gpu& gpu : *scene.stack().gpus) {
      const size_t before = ruling.findings().size();
      CheckList(read, gpu, ruling);
      if (ruling.findings().size() > before) break;
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL8013",
                           .name = "variable_archs_lack_gpu",
                           .family = Family::kBuilding,
                           .explains = Explains::kNothing,
                           .cause = "arch-unsupported",
                           .severity = report::Severity::kWarning,
                           .since = "0.9.0",
                           .title = "an architecture list in a variable leaves out this GPU",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::variable_archs_lack_gpu

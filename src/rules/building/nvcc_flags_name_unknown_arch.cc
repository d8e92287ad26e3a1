// CUL8015: a variable with flags for nvcc asks for an architecture that this nvcc does not support.
#include "base/text.h"
#include "base/version.h"
#include "knowledge/arch.h"
#include "rules/kit/building/arch_flags.h"
#include "rules/kit/toolkit/toolkit_facts.h"
#include "rules/kit/variables/variable_fixes.h"

namespace culprit::rules::nvcc_flags_name_unknown_arch {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
NVCC_PREPEND_FLAGS or NVCC_APPEND_FLAGS adds flags to every call of nvcc, and one of them asks for a GPU architecture
that this CUDA release does not support yet, or no longer supports.
## Why it breaks
"nvcc fatal: Unsupported gpu architecture 'compute_70'", whatever the build itself asks for.

## How culprit knows
The architectures in the flags (-arch, -gencode), and those of the toolkit that a build uses, in data/architectures.toml.

## Fix
Remove the flag, or build with a toolkit that supports the architecture.
## When this is not your problem
You only run programs that are already built.

## Sources
Documentation of nvcc: NVCC_PREPEND_FLAGS, NVCC_APPEND_FLAGS, -gencode; data/architectures.toml.
)md";

// The flags without the word that asks for it; "-gencode X" and "-arch X" are two words.
std::string Without(const std::vector<std::string>& words, size_t place) {
  std::string rest;
  for (size_t i = 0; i < words.size(); ++i) {
    const bool option = i + 1 == place && words[i].starts_with('-') && !words[place].starts_with('-');
    if (i == place || option) continue;
    rest += (rest.empty() ? "" : " ") + words[i];
  }
  return rest;
}

void CheckFlags(const Scene& scene, const std::string& name, const snapshot::Toolkit& toolkit,
                const std::string& because, Ruling& ruling) {
  const std::string release = Release(toolkit.nvcc_version.empty() ? toolkit.version : toolkit.nvcc_version);
  const auto words = base::SplitWords(scene.Variable(name), " \t");
  for (size_t i = 0; i < words.size(); ++i) {
    for (const std::string& text : CapabilitiesIn(words[i])) {
      const auto capability = base::Version::Parse(text);
      if (!capability || release.empty()) continue;
      const auto answer = knowledge::ToolkitTargets(release, *capability);
      if (answer.verdict != knowledge::Verdict::kNo) continue;
      report::Finding& finding = ruling.Fire(
          name + " asks for compute capability " + text + ", which CUDA " + release + " does not support",
          name, {text});
      finding.affects.push_back("builds");
      finding.evidence.push_back({name + " contains " + words[i], "environment"});
      finding.evidence.push_back({answer.why, std::string(answer.source)});
      finding.evidence.push_back({"a build uses " + toolkit.root, because});
      finding.fix = SetOrUnset(scene, name, Without(words, i), "remove " + words[i] + " from " + name);
      return;
    }
  }
}

void Check(const Scene& scene, Ruling& ruling) {
  const BuildChoice chosen = ChosenToolkit(scene);
  if (chosen.toolkit == nullptr || chosen.toolkit->nvcc.empty()) return ruling.NotApplicable();
  for (const char* name : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"})
    CheckFlags(scene, name, *chosen.toolkit, chosen.because, ruling);
}

}  // namespace

extern const Rule kRule = {
    .code = "CUL8015",
    .name = "nvcc_flags_name_unknown_arch",
    .family = Family::kBuilding,
    .explains = Explains::kArchitecture,
    .cause = "arch-unsupported-by-compiler",
    .severity = report::Severity::kWarning,
    .since = "0.9.0",
    .title = "flags in a variable ask nvcc for an architecture that it does not support",
    .page = kPage,
    .check = Check};

}  // namespace culprit::rules::nvcc_flags_name_unknown_arch

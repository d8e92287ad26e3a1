// CUL6017: bitsandbytes has no library for torch's CUDA version.
#include <algorithm>

#include "base/text.h"
#include "rules/kit/python/package_facts.h"

namespace culprit::rules::bitsandbytes_without_cuda_binary {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
bitsandbytes ships one library per CUDA release (libbitsandbytes_cuda124.so ...) and loads the one for the CUDA that
torch was built with. This installation does not have that file.

## Why it breaks
"Configured CUDA binary not found at .../libbitsandbytes_cuda130.so"; 4-bit and 8-bit layers then fail on first use.

## How culprit knows
culprit reads torch/version.py and lists the bitsandbytes libraries.

## Fix
Upgrade bitsandbytes to a release that supports this CUDA. BNB_CUDA_VERSION can select another of the shipped libraries
with the same CUDA major.

## When this is not your problem
You use bitsandbytes on the CPU.

## Sources
bitsandbytes: bitsandbytes/cextension.py, get_cuda_bnb_library_path.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const auto& environment : EnvironmentsOf(scene, ruling)) {
    const auto* bits = FindFramework(environment, "bitsandbytes");
    const auto* torch = FindFramework(environment, "torch");
    if (bits == nullptr || torch == nullptr || torch->cuda.empty()) continue;
    std::string number(scene.Variable("BNB_CUDA_VERSION"));
    const bool chosen = !number.empty();
    if (!chosen) number = torch->cuda;
    std::erase(number, '.');
    const std::string wanted = "libbitsandbytes_cuda" + number + ".so";
    const bool there = std::ranges::any_of(
        bits->libraries, [&](const std::string& file) { return base::BaseName(file) == wanted; });
    if (there) continue;
    report::Finding& finding = ruling.Fire(
        "bitsandbytes " + bits->version + " in " + environment.prefix + " has no " + wanted + ", which " +
            (chosen ? "BNB_CUDA_VERSION=" + number
                    : "torch " + torch->version + " (CUDA " + torch->cuda + ")") +
            " requires",
        bits->directory, {environment.prefix, wanted});
    finding.affects.push_back(TitleOf(environment, *bits));
    std::string names;
    for (const std::string& file : bits->libraries) {
      names += (names.empty() ? "" : ", ") + std::string(base::BaseName(file));
    }
    finding.evidence.push_back(
        {names.empty() ? "it has no CUDA library at all" : "it has " + names, bits->directory});
    finding.evidence.push_back({"torch was built with CUDA " + torch->cuda, torch->source});
    // Our tables do not say which release has which library, so culprit cannot verify this fix.
    finding.fix = {.text = "upgrade bitsandbytes to a release with " + wanted +
                           " (check its files first: culprit does not know which one has it); keep torch",
                   .commands = {PipOf(environment) + " install --upgrade --no-deps bitsandbytes"},
                   .risk = report::Risk::kLow};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL6017",
                           .name = "bitsandbytes_without_cuda_binary",
                           .family = Family::kPython,
                           .cause = "framework-version-conflict",
                           .severity = report::Severity::kWarning,
                           .since = "0.2.0",
                           .title = "bitsandbytes has no library for torch's CUDA version",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::bitsandbytes_without_cuda_binary

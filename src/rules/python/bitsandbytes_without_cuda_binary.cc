// CUL6017: bitsandbytes has no library for torch's CUDA version.
#include <algorithm>

#include "base/text.h"
#include "base/version.h"
#include "rules/kit/python/package_facts.h"

namespace culprit::rules::bitsandbytes_without_cuda_binary {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
bitsandbytes ships one library per CUDA release (libbitsandbytes_cuda124.so ...) and loads the one for the CUDA that
torch was built with. This installation lacks that file. Since bitsandbytes 0.50 a file for the same CUDA major would
do too, but there is none.
## Why it breaks
"Configured CUDA binary not found at .../libbitsandbytes_cuda130.so"; 4-bit and 8-bit layers then fail on first use.
If BNB_CUDA_VERSION selects a library for another CUDA major, that one needs the CUDA libraries of its own major, and
torch does not provide them.
## How culprit knows
culprit reads torch/version.py and lists the bitsandbytes libraries.

## Fix
Upgrade bitsandbytes to a release that supports this CUDA. BNB_CUDA_VERSION can select another of the shipped libraries
with the same CUDA major; unset it if it selects one of another major, or one that this release does not have.

## When this is not your problem
You use bitsandbytes on the CPU.

## Sources
bitsandbytes 0.49.2 and 0.50.2: bitsandbytes/cextension.py, get_cuda_bnb_library_path.
)md";

// A library of bitsandbytes and who asks for it.
struct Choice {
  std::string number;   // "124"
  std::string library;  // "libbitsandbytes_cuda124.so"
  bool by_variable = false;
};

Choice ChoiceOf(const Scene& scene, const snapshot::Framework& torch) {
  std::string number(scene.Variable("BNB_CUDA_VERSION"));
  const bool chosen = !number.empty();
  if (!chosen) number = torch.cuda;
  std::erase(number, '.');
  return {number, "libbitsandbytes_cuda" + number + ".so", chosen};
}

bool Has(const snapshot::Framework& bits, const std::string& library) {
  return std::ranges::any_of(bits.libraries,
                             [&](const std::string& file) { return base::BaseName(file) == library; });
}

// Since 0.50 it takes another library of the same CUDA major if the one for torch's CUDA is not there.
bool TakesAnother(const snapshot::Framework& bits, const Choice& choice) {
  const auto version = base::Version::Parse(bits.version);
  if (choice.by_variable || !version || *version < base::Version{{0, 50}}) return false;
  const std::string same = "libbitsandbytes_cuda" + choice.number.substr(0, choice.number.size() - 1);
  return std::ranges::any_of(bits.libraries, [&](const std::string& file) {
    const std::string_view name = base::BaseName(file);
    return name.starts_with(same) && name.size() == choice.library.size();
  });
}

// RECORD lists the library, and it was deleted: CUL6014.
bool WasDeleted(const snapshot::PythonEnvironment& environment, const snapshot::Framework& bits,
                const std::string& library) {
  const snapshot::PythonPackage* package = environment.Find(bits.package);
  return package != nullptr && std::ranges::any_of(package->damaged, [&](const snapshot::DamagedFile& file) {
           return base::BaseName(file.path) == library;
         });
}

report::Fix FixFor(const snapshot::PythonEnvironment& environment, const Choice& choice) {
  if (choice.by_variable) {
    return {.text = "unset BNB_CUDA_VERSION, so that bitsandbytes takes the library for torch's CUDA",
            .commands = {"unset BNB_CUDA_VERSION"},
            .risk = report::Risk::kLow,
            .changes = {report::UnsetVariable{"BNB_CUDA_VERSION"}}};
  }
  // Our tables do not say which release has which library, so culprit cannot verify this fix.
  return {.text = "upgrade bitsandbytes to a release with " + choice.library +
                  " (check its files first: culprit does not know which one has it); keep torch",
          .commands = {PipOf(environment) + " install --upgrade --no-deps bitsandbytes"},
          .risk = report::Risk::kLow};
}

void Report(const snapshot::PythonEnvironment& environment, const snapshot::Framework& bits,
            const snapshot::Framework& torch, const Choice& choice, Ruling& ruling) {
  const std::string setting = "BNB_CUDA_VERSION=" + choice.number;
  const bool there = Has(bits, choice.library);
  report::Finding& finding = ruling.Fire(
      there ? setting + " selects " + choice.library + ", torch " + torch.version + " in " +
                  environment.prefix + " was built with CUDA " + torch.cuda
            : "bitsandbytes " + bits.version + " in " + environment.prefix + " has no " + choice.library +
                  ", which " +
                  (choice.by_variable ? setting : "torch " + torch.version + " (CUDA " + torch.cuda + ")") +
                  " requires",
      choice.by_variable ? "BNB_CUDA_VERSION" : bits.directory, {environment.prefix, choice.library});
  finding.affects.push_back(TitleOf(environment, bits));
  if (choice.by_variable) {
    finding.cause = "cuda-version-mismatch";
    finding.evidence.push_back({setting, "environment"});
  }
  std::string names;
  for (const std::string& file : bits.libraries) {
    names += (names.empty() ? "" : ", ") + std::string(base::BaseName(file));
  }
  finding.evidence.push_back(
      {names.empty() ? "it has no CUDA library at all" : "it has " + names, bits.directory});
  finding.evidence.push_back({"torch was built with CUDA " + torch.cuda, torch.source});
  finding.fix = FixFor(environment, choice);
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const auto& environment : EnvironmentsOf(scene, ruling)) {
    const auto* bits = FindFramework(environment, "bitsandbytes");
    const auto* torch = FindFramework(environment, "torch");
    if (bits == nullptr || torch == nullptr || torch->cuda.empty()) continue;
    const Choice choice = ChoiceOf(scene, *torch);
    // "118": the last digit is the minor version.
    const bool same_major =
        choice.number.substr(0, choice.number.size() - 1) == MajorOf(torch->cuda) || !choice.by_variable;
    if (same_major && (Has(*bits, choice.library) || TakesAnother(*bits, choice))) continue;
    if (!choice.by_variable && WasDeleted(environment, *bits, choice.library)) continue;
    Report(environment, *bits, *torch, choice, ruling);
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

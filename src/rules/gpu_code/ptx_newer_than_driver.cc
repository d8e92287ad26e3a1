// CUL7003: only PTX would run on this GPU, and it is newer than the driver.
#include "base/version.h"
#include "knowledge/arch.h"
#include "knowledge/packages/release.h"
#include "rules/kit/driver/driver_choice.h"
#include "rules/kit/gpu_code/gpu_code_facts.h"

namespace culprit::rules::ptx_newer_than_driver {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The file has no machine code for this GPU, only PTX, which the driver compiles on first use. A CUDA release newer than the
driver produced the PTX, and this driver does not support that PTX version.

## Why it breaks
"the provided PTX was compiled with an unsupported toolchain" (222) at the first kernel. Minor-version compatibility
does not cover PTX.

## How culprit knows
It reads the PTX version from the GPU code headers, and the newest version that the driver compiles from a table by driver
branch.

## Fix
Install a newer driver, or a build of the framework or program with machine code for this GPU.

## When this is not your problem
Your program uses another GPU that the library has machine code for.

## Sources
CUDA programming guide and nvcc documentation on GPU compilation (binary and PTX compatibility); docs/fatbin-format.md;
data/architectures.toml.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const GpuFit& fit : GpuFits(scene, Role::kLeads, ruling)) {
    if (fit.fit != Fit::kPtxTooNew) continue;
    const std::string driver = DriverVersion(scene);
    report::Finding& finding =
        Fire(ruling, fit, "has only PTX for " + DisplayName(*fit.gpu) + ", too new for driver " + driver);
    const auto version = base::Version::Parse(driver);
    if (const auto* newest = version ? knowledge::NewestPtxOfDriver(*version) : nullptr) {
      finding.evidence.push_back({"driver " + driver + " compiles PTX up to " + std::string(newest->isa),
                                  std::string(newest->source)});
    }
    finding.fix = {.text = "install a newer driver; a newer CUDA toolkit does not help",
                   .commands = {"culprit inspect " + Word(fit.library)},
                   .risk = report::Risk::kMedium,
                   .changes = {}};
    const DriverChoice choice = ChooseDriver(scene, [&](const base::Version& other) {
      const auto* compiles = knowledge::NewestPtxOfDriver(other);
      return compiles != nullptr && knowledge::Known(compiles->isa) >= knowledge::Known(fit.ptx);
    });
    if (choice.version.empty()) continue;
    finding.fix.text = "install driver " + choice.version + " or newer, which compiles PTX " + fit.ptx +
                       "; a newer CUDA toolkit does not help";
    if (fit.framework != nullptr)
      finding.fix.commands.push_back("culprit plan " + Plain(fit.framework->name) +
                                     " --allow driver-upgrade");
    finding.fix.changes = {report::InstallDriver{choice.version}};
  }
}

}  // namespace

extern const Rule kRule = {
    .code = "CUL7003",
    .name = "ptx_newer_than_driver",
    .family = Family::kGpuCode,
    .cause = "driver-too-old",
    .severity = report::Severity::kError,
    .since = "0.2.0",
    .title = "a framework or program has only PTX for this GPU, and it is newer than the driver",
    .page = kPage,
    .check = Check};

}  // namespace culprit::rules::ptx_newer_than_driver

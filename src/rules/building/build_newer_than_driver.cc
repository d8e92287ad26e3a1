// CUL8007: a build folder uses a CUDA that the driver does not support.
#include "base/text.h"
#include "base/version.h"
#include "knowledge/driver.h"
#include "rules/kit/building/build_facts.h"
#include "rules/kit/gpu_code/gpu_code_facts.h"
#include "rules/kit/toolkit/toolkit_facts.h"

namespace culprit::rules::build_newer_than_driver {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
This build's toolkit has a newer CUDA major version than the driver supports.
## Why it breaks
Everything compiles, and the program fails at its first CUDA call with "CUDA driver version is insufficient for CUDA
runtime version" (35).
## How culprit knows
The version of the nvcc that the build folder names, the driver's version, and data/drivers.toml.

## Fix
Build with a toolkit that the driver supports, or update the driver.
## When this is not your problem
The programs run elsewhere. Tell culprit about that machine with `--host driver=VERSION`.

## Sources
CUDA Toolkit Release Notes, table of driver versions; NVIDIA, CUDA Compatibility.
)md";

// A toolkit of this machine that the driver runs; nullptr if there is none.
const snapshot::Toolkit* OlderToolkit(const Scene& scene, const base::Version& driver) {
  for (const snapshot::Toolkit* toolkit : Compilers(scene)) {
    const auto cuda = base::Version::Parse(Release(toolkit->version));
    if (cuda && knowledge::DriverForCuda(driver, *cuda, scene.platform()).verdict == knowledge::Verdict::kYes)
      return toolkit;
  }
  return nullptr;
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const BuildFolder& folder : Builds(scene)) {
    const BuildSetting* nvcc = SettingOf(folder, BuildItem::kNvcc);
    const std::string cuda = CudaOfBuild(folder);
    const auto driver = base::Version::Parse(DriverVersion(scene));
    if (nvcc == nullptr || cuda.empty() || !driver) continue;
    const auto answer = knowledge::DriverRunsCuda(*driver, cuda, scene.platform());
    if (answer.support != knowledge::DriverSupport::kNo) continue;
    const std::string floor(knowledge::LowestCompatibleDriver(cuda, scene.platform()));
    report::Finding& finding = ruling.Fire(folder.path + " builds with CUDA " + cuda + ", which driver " +
                                               DriverVersion(scene) + " does not support",
                                           folder.path);
    finding.affects.push_back("builds");
    finding.evidence.push_back(AsEvidence(*nvcc));
    finding.evidence.push_back({answer.why, std::string(answer.source)});
    const std::string update =
        floor.empty() ? "update the driver" : "update the driver to " + floor + " or newer";
    const snapshot::Toolkit* older = OlderToolkit(scene, *driver);
    const std::string own(knowledge::CudaOfDriver(*driver, scene.platform()).cuda);
    finding.fix = ConfigureAgain(
        folder,
        older != nullptr ? "build with CUDA " + Release(older->version) + ", which is installed, or " + update
                         : update + (own.empty() ? "" : ", or build with CUDA " + own + " or older"),
        older == nullptr ? std::vector<Definition>()
                         : std::vector<Definition>{{"CMAKE_CUDA_COMPILER", older->nvcc}},
        /*fresh=*/true);
    if (older == nullptr) finding.fix.commands.clear();
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL8007",
                           .name = "build_newer_than_driver",
                           .family = Family::kBuilding,
                           .explains = Explains::kNothing,
                           .cause = "driver-too-old",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.9.0",
                           .title = "a build folder uses a CUDA that the driver does not support",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::build_newer_than_driver

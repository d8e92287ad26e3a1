// CUL8010: a build folder uses the compiler of one toolkit and the files of another.
#include "base/text.h"
#include "base/version.h"
#include "rules/kit/building/build_facts.h"
#include "rules/kit/toolkit/toolkit_facts.h"

namespace culprit::rules::build_mixes_toolkits {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
nvcc comes from one CUDA release; the headers or the runtime library that the build uses come from another.
## Why it breaks
nvcc includes its own headers and compiles against those of the other toolkit: errors in crt/host_runtime.h, undefined references
to __cudaRegisterFatBinaryEnd, or a program that loads two CUDA runtimes.

## How culprit knows
The paths in CMakeCache.txt, compile_commands.json, build.ninja and meson-info, and the versions of the toolkits that
contain them.
## Fix
Configure the folder again from scratch with CUDAToolkit_ROOT and the compiler of one toolkit.

## When this is not your problem
Headers from another update of the same release are fine and not reported.
## Sources
CMake manual, FindCUDAToolkit: how the toolkit is searched for.
)md";

void CheckFolder(const BuildFolder& folder, Ruling& ruling) {
  const BuildSetting* nvcc = SettingOf(folder, BuildItem::kNvcc);
  const std::string cuda = CudaOfBuild(folder);
  const auto compiler = base::Version::Parse(cuda);
  if (nvcc == nullptr || !compiler) return;
  for (const BuildSetting& setting : folder.settings) {
    if (setting.item != BuildItem::kToolkitFile) continue;
    const auto version = base::Version::Parse(Release(setting.version));
    if (!version || *version == *compiler) continue;
    report::Finding& finding =
        ruling.Fire(folder.path + " compiles with nvcc of CUDA " + cuda + " and uses " + setting.value +
                        " of CUDA " + Release(setting.version),
                    folder.path);
    if (version->part(0) == compiler->part(0)) finding.severity = report::Severity::kWarning;
    finding.affects.push_back("builds");
    finding.evidence.push_back(AsEvidence(*nvcc));
    finding.evidence.push_back(AsEvidence(setting));
    const std::string root(base::DirName(base::DirName(nvcc->value)));
    finding.fix =
        ConfigureAgain(folder, "configure the build again from scratch, with one toolkit for everything",
                       {{"CMAKE_CUDA_COMPILER", nvcc->value}, {"CUDAToolkit_ROOT", root}},
                       /*fresh=*/true);
    return;
  }
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const BuildFolder& folder : Builds(scene)) CheckFolder(folder, ruling);
}

}  // namespace

extern const Rule kRule = {
    .code = "CUL8010",
    .name = "build_mixes_toolkits",
    .family = Family::kBuilding,
    .explains = Explains::kNothing,
    .cause = "cuda-mixed-versions",
    .severity = report::Severity::kError,
    .where = Where::kLinux,
    .since = "0.9.0",
    .title = "a build folder uses the compiler of one toolkit and the files of another",
    .page = kPage,
    .check = Check};

}  // namespace culprit::rules::build_mixes_toolkits

// CUL8009: a build folder uses a different toolkit than this shell would.
#include "base/text.h"
#include "rules/kit/building/build_facts.h"
#include "rules/kit/toolkit/toolkit_facts.h"

namespace culprit::rules::build_keeps_other_toolkit {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The build folder was configured with one toolkit; PATH or CUDA_HOME in this shell points to another release.
## Why it breaks
This alone breaks nothing. But CMake keeps the compiler that it found first: a new PATH, CUDA_HOME or CUDACXX changes
nothing in a folder that is already configured.
## How culprit knows
The nvcc in the cache of the build folder, and the toolkit that a new build in this shell would use.

## Fix
To build with the other toolkit, configure the folder again from scratch.

## When this is not your problem
You chose the toolkit of this build on purpose.

## Sources
CMake manual: CMAKE_<LANG>_COMPILER, "Once set, you can not change this variable".
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const BuildChoice chosen = ChosenToolkit(scene);
  if (chosen.toolkit == nullptr || chosen.toolkit->nvcc.empty()) return;
  const std::string shell =
      Release(chosen.toolkit->nvcc_version.empty() ? chosen.toolkit->version : chosen.toolkit->nvcc_version);
  for (const BuildFolder& folder : Builds(scene)) {
    const BuildSetting* nvcc = SettingOf(folder, BuildItem::kNvcc);
    const std::string cuda = CudaOfBuild(folder);
    if (nvcc == nullptr || cuda.empty() || cuda == shell ||
        PathPresence(scene, nvcc->value) != Presence::kYes)
      continue;
    report::Finding& finding = ruling.Fire(folder.path + " builds with CUDA " + cuda + " (" + nvcc->value +
                                               "), this shell would use CUDA " + shell,
                                           folder.path);
    finding.affects.push_back("builds");
    finding.evidence.push_back(AsEvidence(*nvcc));
    finding.evidence.push_back({"a new build uses " + chosen.toolkit->root, chosen.because});
    finding.fix = ConfigureAgain(folder,
                                 "to build with CUDA " + shell +
                                     ", configure the folder again from scratch: it "
                                     "keeps its compiler whatever PATH says",
                                 {{"CMAKE_CUDA_COMPILER", chosen.toolkit->nvcc}}, /*fresh=*/true);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL8009",
                           .name = "build_keeps_other_toolkit",
                           .family = Family::kBuilding,
                           .explains = Explains::kNothing,
                           .cause = "cuda-version-mismatch",
                           .severity = report::Severity::kNote,
                           .where = Where::kLinux,
                           .since = "0.9.0",
                           .title = "a build folder uses a different toolkit than this shell would",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::build_keeps_other_toolkit

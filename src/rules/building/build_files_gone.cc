// CUL8005: a build folder uses CUDA files that no longer exist.
#include "base/text.h"
#include "rules/kit/building/build_facts.h"
#include "rules/kit/toolkit/toolkit_facts.h"

namespace culprit::rules::build_files_gone {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The build folder was configured with a toolkit or a cuDNN that is no longer in that place.
## Why it breaks
Build systems keep what they found. The next build calls a compiler, or links a library, that is gone: "nvcc: No such file or
directory", "No rule to make target '/usr/local/cuda-11.8/lib64/libcudart.so'".

## How culprit knows
It reads CMakeCache.txt, compile_commands.json, build.ninja and meson-info, and checks each CUDA path in them.
## Fix
Configure the folder again from scratch, with the toolkit that is there now.

## When this is not your problem
The folder was built in a container, or on another machine, and is not built again here.

## Sources
CMake manual, cmake(1): the cache and --fresh; Meson documentation, IDE integration.
)md";

// A toolkit for the next configuration: the one that this shell would use.
std::vector<Definition> Instead(const Scene& scene, const BuildSetting& gone) {
  const BuildChoice chosen = ChosenToolkit(scene);
  if (gone.item == BuildItem::kNvcc && chosen.toolkit != nullptr && !chosen.toolkit->nvcc.empty())
    return {{"CMAKE_CUDA_COMPILER", chosen.toolkit->nvcc}};
  return {};
}

void CheckFolder(const Scene& scene, const BuildFolder& folder, Ruling& ruling) {
  std::vector<const BuildSetting*> gone;
  for (const BuildSetting& setting : folder.settings) {
    if (!setting.value.starts_with('/') || setting.item == BuildItem::kRunPath) continue;
    const Presence presence = PathPresence(scene, setting.value);
    if (presence == Presence::kNo) gone.push_back(&setting);
    if (presence == Presence::kUnknown)
      ruling.NotEnoughFacts("whether " + setting.value + " exists", "it could not be looked at");
  }
  if (gone.empty()) return;
  report::Finding& finding = ruling.Fire(
      folder.path + " was configured with " + gone.front()->value + ", which no longer exists" +
          (gone.size() == 1 ? "" : ", and with " + std::to_string(gone.size() - 1) + " more such files"),
      folder.path);
  finding.affects.push_back("builds");
  constexpr size_t kMostShown = 5;
  for (size_t i = 0; i < gone.size() && i < kMostShown; ++i) finding.evidence.push_back(AsEvidence(*gone[i]));
  finding.fix =
      ConfigureAgain(folder, "configure the build again from scratch: its cache keeps the old paths",
                     Instead(scene, *gone.front()), /*fresh=*/true);
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const BuildFolder& folder : Builds(scene)) CheckFolder(scene, folder, ruling);
}

}  // namespace

extern const Rule kRule = {.code = "CUL8005",
                           .name = "build_files_gone",
                           .family = Family::kBuilding,
                           .explains = Explains::kNothing,
                           .cause = "build-config",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.9.0",
                           .title = "a build folder uses CUDA files that no longer exist",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::build_files_gone

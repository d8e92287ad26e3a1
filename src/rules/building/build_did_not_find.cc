// CUL8012: a build folder did not find a CUDA component that is installed.
#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "rules/kit/building/build_facts.h"
#include "rules/kit/toolkit/toolkit_facts.h"

namespace culprit::rules::build_did_not_find {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The build looked for nvcc or cuDNN and did not find it, although it is on this machine, in a directory that the build does not
search.

## Why it breaks
The configuration fails ("Could NOT find CUDNN"), or the program is built without the GPU and nobody notices.

## How culprit knows
A value that ends with -NOTFOUND in CMakeCache.txt, and the copies that culprit found.

## Fix
Tell the build where it is.

## When this is not your problem
The component is optional, and you do not want it.
## Sources
CMake manual, find_library and find_path: <VAR>-NOTFOUND.
)md";

std::string Lowered(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// Where the missing thing is; "" if it is not on this machine.
std::string PlaceOfCudnn(const Scene& scene, bool header) {
  if (!scene.stack().cudnn) return "";
  for (const snapshot::CudnnCopy& copy : *scene.stack().cudnn) {
    const std::string link = base::JoinPath(copy.directory, "libcudnn.so");
    if (PathPresence(scene, link) != Presence::kYes) continue;
    if (!header) return link;
    if (!copy.header.empty()) return std::string(base::DirName(copy.header));
  }
  return "";
}

std::string PlaceOf(const Scene& scene, const BuildFolder& folder, const BuildSetting& missing) {
  if (missing.name == "CMAKE_CUDA_COMPILER") {
    const BuildChoice chosen = ChosenToolkit(scene);
    if (SettingOf(folder, BuildItem::kNvcc) != nullptr) return "";
    if (chosen.toolkit != nullptr && !chosen.toolkit->nvcc.empty()) return chosen.toolkit->nvcc;
    const auto compilers = Compilers(scene);
    return compilers.empty() ? "" : compilers.front()->nvcc;
  }
  const bool header = base::Contains(Lowered(missing.name), "include");
  if (SettingOf(folder, header ? BuildItem::kCudnnHeader : BuildItem::kCudnnLibrary) != nullptr) return "";
  return PlaceOfCudnn(scene, header);
}

void CheckFolder(const Scene& scene, const BuildFolder& folder, Ruling& ruling) {
  std::vector<Definition> definitions;
  std::vector<const BuildSetting*> missing;
  for (const BuildSetting& setting : folder.settings) {
    if (setting.item != BuildItem::kNotFound) continue;
    const std::string place = PlaceOf(scene, folder, setting);
    if (place.empty()) continue;
    definitions.push_back({setting.name, place});
    missing.push_back(&setting);
  }
  if (definitions.empty()) return;
  report::Finding& finding = ruling.Fire(folder.path + " did not find " + definitions.front().name +
                                             ", which is at " + definitions.front().value,
                                         folder.path);
  finding.affects.push_back("builds");
  for (const BuildSetting* setting : missing) finding.evidence.push_back(AsEvidence(*setting));
  for (const Definition& definition : definitions)
    finding.evidence.push_back({definition.value + " exists", definition.value});
  const bool compiler =
      std::ranges::find(definitions, "CMAKE_CUDA_COMPILER", &Definition::name) != definitions.end();
  finding.fix = ConfigureAgain(folder, "tell the build where it is", definitions, /*fresh=*/compiler);
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const BuildFolder& folder : Builds(scene)) CheckFolder(scene, folder, ruling);
}

}  // namespace

extern const Rule kRule = {.code = "CUL8012",
                           .name = "build_did_not_find",
                           .family = Family::kBuilding,
                           .explains = Explains::kNothing,
                           .cause = "build-config",
                           .severity = report::Severity::kWarning,
                           .where = Where::kLinux,
                           .since = "0.9.0",
                           .title = "a build folder did not find a CUDA component that is installed",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::build_did_not_find

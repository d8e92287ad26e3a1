// CUL8008: a build folder takes cuDNN's header from one release and its library from another.
#include "base/text.h"
#include "base/version.h"
#include "rules/kit/building/build_facts.h"

namespace culprit::rules::build_cudnn_header_differs {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The compiler finds the header of one cuDNN, the linker the library of another.

## Why it breaks
Functions of a newer header are not in an older library: "undefined reference to `cudnnBackendCreateDescriptor'". With
another major version, constants and structures differ too, and the program fails when it runs.
## How culprit knows
The include directories and libraries in CMakeCache.txt, compile_commands.json, build.ninja and link.txt; CUDNN_MAJOR,
CUDNN_MINOR and CUDNN_PATCHLEVEL of the header found first; the version of the library.

## Fix
Configure the build with the header and the library of the same copy.
## When this is not your problem
An older header of the same major version works with a newer library.

## Sources
cudnn_version.h; NVIDIA cuDNN documentation, "Version compatibility".
)md";

struct LibraryFound {
  std::string version, source;
};

LibraryFound LibraryVersionOf(const Scene& scene, const std::string& path) {
  if (const auto version = scene.view.Version(path); version && !version->version.empty())
    return {version->version, version.source};
  const std::string directory(base::DirName(scene.view.RealPath(path)));
  if (!scene.stack().cudnn) return {};
  for (const snapshot::CudnnCopy& copy : *scene.stack().cudnn) {
    if (scene.view.RealPath(copy.directory) == directory) return {copy.version, copy.version_source};
  }
  return {};
}

// A copy whose header and library agree, for the next configuration.
const snapshot::CudnnCopy* WholeCopy(const Scene& scene) {
  if (!scene.stack().cudnn) return nullptr;
  for (const snapshot::CudnnCopy& copy : *scene.stack().cudnn) {
    if (!copy.header.empty() &&
        PathPresence(scene, base::JoinPath(copy.directory, "libcudnn.so")) == Presence::kYes)
      return &copy;
  }
  return nullptr;
}

void CheckFolder(const Scene& scene, const BuildFolder& folder, Ruling& ruling) {
  const BuildSetting* header = SettingOf(folder, BuildItem::kCudnnHeader);
  const BuildSetting* library = SettingOf(folder, BuildItem::kCudnnLibrary);
  if (header == nullptr || library == nullptr || header->version.empty()) return;
  const LibraryFound found = LibraryVersionOf(scene, library->value);
  const auto compiled = base::Version::Parse(header->version), linked = base::Version::Parse(found.version);
  if (!compiled || !linked) return;
  const bool other_major = compiled->part(0) != linked->part(0);
  const bool newer = compiled->part(0) == linked->part(0) && compiled->part(1) > linked->part(1);
  if (!other_major && !newer) return;
  report::Finding& finding =
      ruling.Fire(folder.path + " compiles with " + header->value + " of cuDNN " + header->version +
                      " and links " + library->value + " of " + found.version,
                  folder.path);
  if (!other_major) finding.severity = report::Severity::kWarning;
  finding.affects.push_back("builds");
  finding.evidence.push_back(AsEvidence(*header));
  finding.evidence.push_back(AsEvidence(*library));
  finding.evidence.push_back({library->value + " is cuDNN " + found.version, found.source});
  const snapshot::CudnnCopy* whole = WholeCopy(scene);
  std::vector<Definition> definitions;
  const auto cache_name = [](const BuildSetting& setting) { return !base::Contains(setting.name, " "); };
  if (whole != nullptr && cache_name(*header) && cache_name(*library)) {
    definitions = {{header->name, std::string(base::DirName(whole->header))},
                   {library->name, base::JoinPath(whole->directory, "libcudnn.so")}};
  }
  finding.fix = ConfigureAgain(
      folder,
      whole == nullptr ? "install the header and library of one cuDNN release, and build with those"
                       : "build with the header " + whole->header + " and the library in " +
                             whole->directory + ", both of cuDNN " + whole->version,
      definitions);
  if (definitions.empty()) finding.fix.commands.clear();
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const BuildFolder& folder : Builds(scene)) CheckFolder(scene, folder, ruling);
}

}  // namespace

extern const Rule kRule = {.code = "CUL8008",
                           .name = "build_cudnn_header_differs",
                           .family = Family::kBuilding,
                           .explains = Explains::kNothing,
                           .cause = "header-library-mismatch",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.9.0",
                           .title = "a build folder mixes the header and the library of two cuDNN releases",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::build_cudnn_header_differs

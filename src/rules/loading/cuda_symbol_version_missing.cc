// CUL5011: a file with a CUDA library's name is a different version.
#include <optional>

#include "base/text.h"
#include "knowledge/libraries.h"
#include "rules/kit/file_fixes.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/loading/version_misses.h"
#include "rules/kit/python/package_facts.h"
#include "rules/rule.h"

namespace culprit::rules::cuda_symbol_version_missing {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A file requires a symbol version named after a CUDA library ("libcublas.so.12"), and the file loaded under that name
does not define it.

## Why it breaks
The file is a different major version under a borrowed name: someone symlinked libcublas.so.12 to libcublas.so.11, or
libcudnn.so.8 to libcudnn.so.9, following bad advice.

## How culprit knows
NVIDIA libraries define one symbol version named like the soname. culprit compares the required one with the defined
ones.

## Fix
Remove the symlink and install the real library of that major version.

## When this is not your problem
The loader accepts libraries without any symbol versions; they are not reported.

## Sources
Symbol versions of libcublas.so.13 and libcudnn_ops.so.9; elf/dl-version.c of glibc.
)md";

// In an environment that pins a cuDNN, install that one. Remove the symlink first: pip would write through it
// into another file.
std::optional<report::Fix> OwnCudnn(const Scene& scene, const VersionMiss& miss) {
  const auto* environment = scene.EnvironmentOf(*miss.scenario);
  const auto* framework = scene.FrameworkOf(*miss.scenario);
  const auto* library = knowledge::FindLibrary(miss.version);
  const std::string file = PlaceOf(scene, miss.file);
  if (environment == nullptr || framework == nullptr || library->family != "cudnn" ||
      !file.starts_with(environment->prefix + "/"))
    return std::nullopt;
  const std::string package = "nvidia-cudnn-cu" + MajorOf(framework->cuda);
  const std::string pinned = PinnedVersion(scene, *environment, package);
  if (pinned.empty() || MajorOf(pinned) != std::to_string(MajorOfName(miss.version))) return std::nullopt;
  report::Fix fix = ReinstallPackage(
      *environment, package, pinned,
      "remove the wrong symlink and install the cuDNN that " + framework->name + " requires");
  fix.commands.insert(fix.commands.begin(), Sudo(scene, file) + "rm " + Word(file));
  fix.changes.insert(fix.changes.begin(), report::RemoveFile{file});
  return fix;
}

// A symlink inside a Python environment: the package of the right major version writes the file itself.
std::optional<report::Fix> FixInEnvironment(const Scene& scene, const VersionMiss& miss) {
  const auto* environment = scene.EnvironmentOf(*miss.scenario);
  const auto* library = knowledge::FindLibrary(miss.version);
  if (environment == nullptr || library == nullptr ||
      !base::CleanPath(miss.file).starts_with(environment->prefix + "/")) {
    return std::nullopt;
  }
  const std::string package = PipPackage(*library, CudaOfSoname(*library, miss.version));
  const std::string version = package.empty() ? "" : PinnedVersion(scene, *environment, package);
  if (version.empty()) return std::nullopt;
  report::Fix fix =
      ReinstallPackage(*environment, package, version,
                       "remove the symlinks and install " + package + " " + version +
                           ", which provides the real files; never symlink one major version to another");
  const std::string directory(base::DirName(base::CleanPath(miss.file)));
  const auto items = scene.view.List(directory);
  for (size_t i = 0; items && i < items->size(); ++i) {
    const std::string& name = (*items)[i].name;
    const auto* other = knowledge::FindLibrary(name);
    if ((*items)[i].kind != snapshot::FileKind::kLink || other == nullptr ||
        PipPackage(*other, CudaOfSoname(*other, name)) != package) {
      continue;
    }
    fix.commands.insert(fix.commands.begin(), "rm " + Word(base::JoinPath(directory, name)));
    fix.changes.insert(fix.changes.begin(), report::RemoveFile{base::JoinPath(directory, name)});
  }
  return fix;
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const VersionMiss& miss : VersionMisses(scene)) {
    if (knowledge::FindLibrary(miss.version) == nullptr) continue;
    const auto& elf = scene.view.Open(miss.file).elf;
    const std::string soname = elf != nullptr && elf->soname ? *elf->soname : "";
    report::Finding& finding =
        ruling.Fire(miss.asker + " needs " + miss.version + ", " + base::CleanPath(miss.file) +
                        (soname.empty() ? " does not define it" : " is really " + soname),
                    base::CleanPath(miss.file), {miss.asker, miss.version});
    finding.affects.push_back(miss.scenario->title);
    finding.evidence.push_back({miss.words, "predicted by the loader model"});
    const std::string real = scene.view.RealPath(miss.file);
    if (real != miss.file) finding.evidence.push_back({miss.file + " points to " + real, miss.file});
    // Not a mix of two releases: somebody created this symlink.
    const std::string_view name = base::BaseName(miss.file);
    const bool linked = base::BaseName(real) != name && !soname.empty() && soname != name;
    if (linked) finding.cause = "broken-symlink";
    if (knowledge::FindLibrary(miss.version)->family == "cudnn") finding.cause = "cudnn-version-mismatch";
    auto own = OwnCudnn(scene, miss);
    if (!own) own = FixInEnvironment(scene, miss);
    if (own) {
      finding.fix = *std::move(own);
      continue;
    }
    finding.fix = RepairLink(scene, miss.file);
    finding.fix.text += "; never symlink one major version to another";
    for (report::Change& change : finding.fix.changes) {
      const auto* library = change.As<report::PutLibrary>();
      if (library == nullptr) continue;
      report::PutLibrary sound = *library;
      sound.version_defs = {miss.version};
      change = std::move(sound);
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5011",
                           .name = "cuda_symbol_version_missing",
                           .family = Family::kLoading,
                           .cause = "cuda-mixed-versions",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "a file with a CUDA library's name is a different version",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cuda_symbol_version_missing

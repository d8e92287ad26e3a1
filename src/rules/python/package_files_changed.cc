// CUL6014: shared libraries of a package do not match its RECORD.
#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "knowledge/libraries.h"
#include "rules/kit/python/package_changes.h"

namespace culprit::rules::package_files_changed {
namespace {

using report::Severity;
using snapshot::DamagedFile;

constexpr std::string_view kPage = R"md(
## What it means
A package lists its files with size and hash in RECORD. Shared libraries of this package are missing, have a different
size, or (with --verify) a different hash.

## Why it breaks
An installation that was interrupted or ran out of disk space leaves truncated files: the process dies with SIGBUS and
no message, or with "file too short". A file that another package replaced is a version that nobody tested with the
rest. A missing file is searched elsewhere, so a system copy may be loaded instead.

## How culprit knows
It checks that every shared library in RECORD exists and has the recorded size; --verify also compares the SHA-256.

## Fix
Reinstall the package without the cache, so that a damaged download is not unpacked again.

## When this is not your problem
You replaced the file on purpose (a patched build, auditwheel, strip). If none of the processes that culprit checked
loads the file, or another copy is found instead, this is a warning.

## Sources
PyPA: Recording installed projects (RECORD).
)md";

std::string Describe(const DamagedFile& file) {
  if (file.problem == snapshot::FileDamage::kMissing) return file.path + " is missing";
  if (file.problem == snapshot::FileDamage::kSize)
    return file.path + " has " + file.actual + " bytes, RECORD says " + file.expected;
  return file.path + " does not match the hash in RECORD";
}

// cuDNN without a sub-library is incomplete, even if the rest is fine.
bool IsLostPart(const DamagedFile& file) {
  const auto* library = knowledge::FindLibrary(base::BaseName(file.path));
  return file.problem == snapshot::FileDamage::kMissing && library != nullptr && library->family == "cudnn" &&
         library->name != "cudnn";
}

// A library beside the missing file that names it in its dynamic section; "" if none does. auditwheel puts
// the libraries of a package into NAME.libs.
std::string NeededBeside(const Scene& scene, const DamagedFile& file) {
  constexpr std::string_view kLibs = ".libs";
  // Those of CUDA have rules of their own.
  if (file.problem != snapshot::FileDamage::kMissing || knowledge::FindLibrary(base::BaseName(file.path)))
    return "";
  const std::string name(base::BaseName(file.path)), own(base::DirName(file.path));
  std::vector<std::string> directories = {own};
  if (own.ends_with(kLibs)) directories.push_back(own.substr(0, own.size() - kLibs.size()));
  for (const std::string& directory : directories) {
    for (const snapshot::DirectoryItem& item :
         scene.view.List(directory).value_or(std::vector<snapshot::DirectoryItem>())) {
      const std::string path = base::JoinPath(directory, item.name);
      if (item.name.find(".so") == std::string::npos) continue;
      const auto& elf = scene.view.Open(path).elf;
      if (elf != nullptr &&
          std::ranges::find(elf->requests, name, &binfmt::ElfRequest::name) != elf->requests.end())
        return path;
    }
  }
  return "";
}

// If two packages list one file, the later one won. Other rules report that.
std::set<std::string> ListedTwice(const snapshot::PythonEnvironment& environment) {
  std::map<std::string, std::string> owner;
  std::set<std::string> twice;
  for (const auto& package : environment.packages) {
    for (const DamagedFile& file : package.damaged) {
      const auto [known, fresh] = owner.emplace(file.path, package.name);
      if (!fresh && known->second != package.name) twice.insert(file.path);
    }
  }
  return twice;
}

// A library for another CPU, which CUL5008 reports where it is loaded.
bool IsForAnotherCpu(const Scene& scene, const snapshot::PythonEnvironment& environment,
                     const DamagedFile& file) {
  const auto &own = scene.view.Open(environment.interpreter).elf, &other = scene.view.Open(file.path).elf;
  return own != nullptr && other != nullptr && other->problem == binfmt::ElfProblem::kNone &&
         own->problem == binfmt::ElfProblem::kNone && own->machine != other->machine;
}

// The same for packages that install into the same directories.
std::pair<std::string, std::string_view> RivalKey(const snapshot::PythonPackage& package) {
  const std::string& name = package.name;
  const std::string_view directory = base::DirName(package.record);
  if (name == "cupy" || name.starts_with("cupy-cuda")) return {"cupy", directory};
  for (const char* tail : {"", "-gpu", "-directml", "-openvino", "-training", "-rocm"}) {
    if (name == std::string("onnxruntime") + tail) return {"onnxruntime", directory};
  }
  std::string component = name.substr(0, name.rfind("-cu"));
  return {HasSameFilesForEveryCuda(component) ? std::move(component) : name, directory};
}

// How many packages install into the same directories. Of several the later one changed the files of the
// other, which has its own rules (CUL6006, CUL6008, CUL6013, CUL6016).
std::map<std::pair<std::string, std::string_view>, size_t> Rivals(
    const snapshot::PythonEnvironment& environment) {
  std::map<std::pair<std::string, std::string_view>, size_t> rivals;
  for (const auto& package : environment.packages) ++rivals[RivalKey(package)];
  return rivals;
}

// Whether the damage affects a process: the file is loaded, or it was tried and the search found nothing
// else. If another copy is found instead, the process runs.
bool IsUsed(const Scene& scene, const snapshot::PythonEnvironment& environment, const DamagedFile& file,
            std::vector<std::string>& affects) {
  const std::string real = scene.view.RealPath(file.path);
  for (const auto& scenario : scene.scenarios) {
    if (scene.EnvironmentOf(scenario) != &environment) continue;
    const bool loaded = std::ranges::any_of(scenario.graph.objects, [&](const loader::Object& object) {
      return object.path == file.path || object.real_path == real;
    });
    const bool tried = std::ranges::any_of(scenario.graph.requests, [&](const loader::Request& request) {
      return request.object == loader::kNone &&
             std::ranges::any_of(request.attempts, [&](const loader::Attempt& attempt) {
               return base::CleanPath(attempt.path) == file.path || scene.view.RealPath(attempt.path) == real;
             });
    });
    if (loaded || tried) affects.push_back(scenario.title);
  }
  return !affects.empty();
}

void Check(const Scene& scene, Ruling& ruling) {
  constexpr size_t kMostShown = 5;
  for (const auto& environment : EnvironmentsOf(scene, ruling)) {
    const auto twice = ListedTwice(environment);
    std::map<std::pair<std::string, std::string_view>, size_t> rivals;
    for (const auto& package : environment.packages) {
      std::vector<const DamagedFile*> damaged;
      for (const DamagedFile& file : package.damaged) {
        if (!twice.contains(file.path)) damaged.push_back(&file);
      }
      if (damaged.empty()) continue;
      if (rivals.empty()) rivals = Rivals(environment);
      if (rivals.at(RivalKey(package)) > 1) continue;
      std::vector<std::string> affects;
      const bool used = std::ranges::any_of(
          damaged, [&](const DamagedFile* file) { return IsUsed(scene, environment, *file, affects); });
      if (used && IsForAnotherCpu(scene, environment, *damaged[0])) continue;
      report::Finding& finding = ruling.Fire(
          package.name + " " + package.version + " was changed after installation: " + Describe(*damaged[0]) +
              (damaged.size() > 1 ? " (and " + std::to_string(damaged.size() - 1) + " more)" : ""),
          damaged[0]->path, {package.name, package.version});
      const std::string needed_by = used ? "" : NeededBeside(scene, *damaged[0]);
      const bool empty = damaged[0]->problem == snapshot::FileDamage::kSize && damaged[0]->actual == "0";
      if (IsLostPart(*damaged[0])) finding.cause = "cudnn-sublibrary-missing";
      if (!needed_by.empty()) finding.cause = "dependent-missing";
      if (!used && !empty && needed_by.empty()) finding.severity = Severity::kWarning;
      finding.affects = std::move(affects);
      for (size_t i = 0; i < std::min(kMostShown, damaged.size()); ++i) {
        finding.evidence.push_back({Describe(*damaged[i]), package.record + "/RECORD"});
      }
      if (!needed_by.empty())
        finding.evidence.push_back(
            {needed_by + " needs " + std::string(base::BaseName(damaged[0]->path)), needed_by});
      // Builds from PyTorch's index have their CUDA in the version; packages built on torch are in that
      // index.
      const auto* torch = environment.Find("torch");
      const bool own_index =
          package.name.starts_with("torch") && package.version.find('+') != std::string::npos;
      finding.fix = {
          .text = "reinstall the package without the cache",
          .commands = {PipOf(environment) + " install --force-reinstall --no-deps --no-cache-dir " +
                       ForPip({package.name, package.version}) +
                       (own_index && torch != nullptr ? PytorchIndex(torch->version) : "")},
          .risk = report::Risk::kLow};
      AddInstall(scene, environment, {package.name, package.version}, Pip::kAlone, finding.fix.changes);
    }
  }
}

}  // namespace

extern const Rule kRule = {
    .code = "CUL6014",
    .name = "package_files_changed",
    .family = Family::kPython,
    .by_size = true,
    .cause = "corrupt-library",
    .severity = Severity::kError,
    .since = "0.2.0",
    .title = "libraries of a Python package are missing or were changed after installation",
    .page = kPage,
    .check = Check};

}  // namespace culprit::rules::package_files_changed

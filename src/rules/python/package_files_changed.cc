// CUL6014: shared libraries of a package do not match its RECORD.
#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "knowledge/libraries.h"
#include "rules/kit/loading/failed_loads.h"
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
rest. A missing file is searched for elsewhere, so a system copy may be loaded instead.
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

// Which library of a directory names which others in its dynamic section.
class Needers {
 public:
  explicit Needers(const Scene& scene) : scene_(scene) {}

  // A library beside the missing file that needs it; "" if none does. auditwheel puts the libraries of a
  // package into NAME.libs.
  std::string Of(const DamagedFile& file) {
    constexpr std::string_view kLibs = ".libs";
    const std::string name(base::BaseName(file.path)), own(base::DirName(file.path));
    // Those of CUDA have rules of their own.
    if (file.problem != snapshot::FileDamage::kMissing || knowledge::FindLibrary(name)) return "";
    std::string needer = In(own, name);
    if (needer.empty() && own.ends_with(kLibs)) needer = In(own.substr(0, own.size() - kLibs.size()), name);
    return needer;
  }

 private:
  std::string In(const std::string& directory, const std::string& name) {
    const auto [place, fresh] = directories_.try_emplace(directory);
    if (fresh) {
      for (const snapshot::DirectoryItem& item :
           scene_.view.List(directory).value_or(std::vector<snapshot::DirectoryItem>())) {
        const std::string path = base::JoinPath(directory, item.name);
        if (item.name.find(".so") == std::string::npos) continue;
        const auto& elf = scene_.view.Open(path).elf;
        if (elf == nullptr) continue;
        for (const binfmt::ElfRequest& request : elf->requests) place->second.emplace(request.name, path);
      }
    }
    const auto found = place->second.find(name);
    return found == place->second.end() ? "" : found->second;
  }

  const Scene& scene_;
  std::map<std::string, std::map<std::string, std::string>> directories_;  // needed name -> the first needer
};

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

// The rule about a load that this file ends says more than its size does.
bool IsToldElsewhere(const Scene& scene, const DamagedFile& file) {
  return std::ranges::any_of(FailedLoads(scene), [&](const FailedLoad& failed) {
    const bool gone = file.problem == snapshot::FileDamage::kMissing && failed.why == Why::kNowhere &&
                      !failed.request->optional && failed.request->name == base::BaseName(file.path);
    return gone || ((IsDamage(failed.why) || failed.why == Why::kDanglingLink) &&
                    base::CleanPath(failed.file) == file.path);
  });
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

// The processes that a damaged file affects, by its path: those that load it, and those that tried it and
// found nothing else. A process that finds another copy instead runs.
std::map<std::string, std::set<size_t>> UsersByPath(const Scene& scene,
                                                    const snapshot::PythonEnvironment& environment) {
  std::map<std::string, std::set<size_t>> users;
  for (size_t i = 0; i < scene.scenarios.size(); ++i) {
    const auto& scenario = scene.scenarios[i];
    if (scene.EnvironmentOf(scenario) != &environment) continue;
    for (const loader::Object& object : scenario.graph.objects) {
      users[object.path].insert(i);
      users[object.real_path].insert(i);
    }
    for (const loader::Request& request : scenario.graph.requests) {
      if (request.object != loader::kNone) continue;
      for (const loader::Attempt& attempt : request.attempts) {
        users[base::CleanPath(attempt.path)].insert(i);
        users[scene.view.RealPath(attempt.path)].insert(i);
      }
    }
  }
  return users;
}

// A file that is whole and has another size came from another release.
std::string CauseOfReplaced(const Scene& scene, const DamagedFile& file) {
  const auto* library = knowledge::FindLibrary(base::BaseName(file.path));
  const auto& elf = scene.view.Open(file.path).elf;
  // A shorter one may have lost its end.
  const bool longer = file.actual.size() > file.expected.size() ||
                      (file.actual.size() == file.expected.size() && file.actual > file.expected);
  const bool whole = longer && elf != nullptr && elf->problem == binfmt::ElfProblem::kNone && elf->complete();
  if (file.problem != snapshot::FileDamage::kSize || !whole || library == nullptr) return "";
  return library->family == "cudnn" ? "cudnn-mixed-versions" : "cuda-mixed-versions";
}

// One damaged file and what follows from it.
struct Damage {
  const DamagedFile* file;
  std::set<size_t> users;   // scenarios
  std::string needed_by{};  // a library that does not load without it

  bool is_cut = false;  // it ends before its headers say

  bool IsEmpty() const { return file->problem == snapshot::FileDamage::kSize && file->actual == "0"; }
  bool Breaks() const { return !users.empty() || IsEmpty() || is_cut || !needed_by.empty(); }
};

// All damage of a package that this rule reports, the worst first.
std::vector<Damage> DamageOf(const Scene& scene, const snapshot::PythonEnvironment& environment,
                             const snapshot::PythonPackage& package, const std::set<std::string>& twice,
                             const std::map<std::string, std::set<size_t>>& users) {
  std::vector<Damage> all;
  Needers needers(scene);
  const bool gone_is_told = std::ranges::any_of(package.damaged, [&](const DamagedFile& file) {
    return file.problem == snapshot::FileDamage::kMissing && IsToldElsewhere(scene, file);
  });
  for (const DamagedFile& file : package.damaged) {
    if (gone_is_told && file.problem == snapshot::FileDamage::kMissing) continue;
    if (twice.contains(file.path) || !file.overwritten_by.empty()) continue;  // CUL6016
    Damage damage{.file = &file, .users = {}};
    for (const std::string& path : {file.path, scene.view.RealPath(file.path)}) {
      if (const auto found = users.find(path); found != users.end())
        damage.users.insert(found->second.begin(), found->second.end());
    }
    if (!damage.users.empty() && IsForAnotherCpu(scene, environment, file)) continue;
    if (IsToldElsewhere(scene, file)) continue;
    if (damage.users.empty()) damage.needed_by = needers.Of(file);
    const auto& elf = scene.view.Open(file.path).elf;
    damage.is_cut = elf != nullptr && elf->problem != binfmt::ElfProblem::kNotElf && !elf->complete();
    all.push_back(std::move(damage));
  }
  // Of the same weight in their order. (std::stable_sort of libstdc++ 12 uses what C++20 removed.)
  std::ranges::sort(all, {}, [](const Damage& damage) {
    return std::tuple(damage.users.empty(), !damage.Breaks(), damage.file);
  });
  return all;
}

void Report(const Scene& scene, const snapshot::PythonEnvironment& environment,
            const snapshot::PythonPackage& package, const std::vector<Damage>& damaged, Ruling& ruling) {
  constexpr size_t kMostShown = 5;
  const Damage& worst = damaged.front();
  report::Finding& finding = ruling.Fire(
      package.name + " " + package.version + " was changed after installation: " + Describe(*worst.file) +
          (damaged.size() > 1 ? " (and " + std::to_string(damaged.size() - 1) + " more)" : ""),
      worst.file->path, {package.name, package.version});
  if (IsLostPart(*worst.file)) finding.cause = "cudnn-sublibrary-missing";
  if (!worst.needed_by.empty()) finding.cause = "dependent-missing";
  if (const std::string cause = CauseOfReplaced(scene, *worst.file); !cause.empty()) finding.cause = cause;
  if (!worst.Breaks()) finding.severity = Severity::kWarning;
  std::set<size_t> users;
  for (const Damage& one : damaged) users.insert(one.users.begin(), one.users.end());
  for (const size_t user : users) finding.affects.push_back(scene.scenarios[user].title);
  for (const Damage& one : damaged | std::views::take(kMostShown)) {
    finding.evidence.push_back({Describe(*one.file), package.record + "/RECORD"});
    if (!one.needed_by.empty())
      finding.evidence.push_back(
          {one.needed_by + " needs " + std::string(base::BaseName(one.file->path)), one.needed_by});
  }
  // Builds from PyTorch's index have their CUDA in the version; packages built on torch are in that index.
  const auto* torch = environment.Find("torch");
  const bool own_index = package.name.starts_with("torch") && package.version.find('+') != std::string::npos;
  finding.fix = {.text = "reinstall the package without the cache",
                 .commands = {PipOf(environment) + " install --force-reinstall --no-deps --no-cache-dir " +
                              ForPip({package.name, package.version}) +
                              (own_index && torch != nullptr ? PytorchIndex(torch->version) : "")},
                 .risk = report::Risk::kLow};
  AddInstall(scene, environment, {package.name, package.version}, Pip::kAlone, finding.fix.changes);
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const auto& environment : EnvironmentsOf(scene, ruling)) {
    if (std::ranges::all_of(environment.packages, [](const auto& one) { return one.damaged.empty(); }))
      continue;
    const auto twice = ListedTwice(environment);
    const auto rivals = Rivals(environment);
    const auto users = UsersByPath(scene, environment);
    for (const auto& package : environment.packages) {
      if (package.damaged.empty() || rivals.at(RivalKey(package)) > 1) continue;
      const auto damaged = DamageOf(scene, environment, package, twice, users);
      if (!damaged.empty()) Report(scene, environment, package, damaged, ruling);
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

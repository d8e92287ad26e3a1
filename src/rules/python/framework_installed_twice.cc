// CUL6016: two versions of one package in one directory, or installed by both conda and pip, or two packages
// with the same files.
#include <algorithm>
#include <array>
#include <map>

#include "base/python/pep440.h"
#include "base/text.h"
#include "rules/kit/python/package_changes.h"
#include "rules/kit/python/rival_packages.h"

namespace culprit::rules::framework_installed_twice {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
One directory of packages has the records of two versions of the same package, or conda and pip have both installed it,
or another package has overwritten its files (tensorflow-cpu those of tensorflow). The module can only be one of them;
files of the other may be left next to it.

## Why it breaks
Libraries of two releases are in one directory and are found by name: symbols are missing, or the CPU build of one
overwrites the CUDA build of the other. Upgrades fix only what one of the two records lists.

## How culprit knows
It compares the names in the records (dist-info, conda-meta) of one environment, and the sizes of libraries with those
in RECORD: if a file of one package has the size that another package lists, that package has overwritten it.
## Fix
Uninstall until nothing is left, then install the one you want once, with one tool.

## When this is not your problem
Copies in two directories of sys.path do not mix: the first one wins (CUL6015 covers the home directory).

## Sources
PyPA: Recording installed projects; conda: conda-meta records.
)md";

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kCondaNames = {
    {{"pytorch", "torch"},
     {"tensorflow-base", "tensorflow"},
     {"jaxlib", "jaxlib"},
     {"cupy-core", "cupy"},
     {"torchvision", "torchvision"},
     {"onnxruntime", "onnxruntime"}}};

bool Matters(std::string_view name) {
  for (const std::string_view start :
       {"nvidia-", "torch", "tensorflow", "jax", "onnxruntime", "cupy", "triton", "paddlepaddle", "tensorrt",
        "ctranslate2", "xformers", "flash-attn"}) {
    if (name.starts_with(start)) return true;
  }
  return false;
}

void Tell(const Scene& scene, const snapshot::PythonEnvironment& environment,
          const snapshot::PythonPackage& a, const snapshot::PythonPackage& b, const std::string& text,
          Ruling& ruling) {
  report::Finding& finding = ruling.Fire(text, b.record, {environment.prefix, a.record});
  finding.affects.push_back(b.name + " in " + environment.prefix);
  finding.evidence.push_back(
      {a.name + " " + a.version + (a.installer.empty() ? "" : " by " + a.installer), a.record});
  finding.evidence.push_back(
      {b.name + " " + b.version + (b.installer.empty() ? "" : " by " + b.installer), b.record});
  const Command pip = PipOf(environment);
  if (a.installer == "conda") {
    finding.fix = {
        .text =
            "keep pip's copy, which was installed last: remove conda's without its dependencies, then "
            "reinstall pip's. To go back to conda's: uninstall pip's and reinstall conda's",
        .commands = {"conda remove --prefix " + Word(environment.prefix) + " --force -y " + Plain(a.name),
                     pip + " install --force-reinstall " + ForPip({b.name, b.version})},
        .risk = report::Risk::kMedium};
    finding.fix.changes.push_back(report::RemoveFile{a.record});
    AddInstall(scene, environment, {b.name, b.version}, Pip::kEverything, finding.fix.changes);
    return;
  }
  // The files tell their release; if they do not, assume the newer record.
  const auto first = base::PythonVersion::Parse(a.version), second = base::PythonVersion::Parse(b.version);
  std::string version = first && second && first->ComparePublic(*second) > 0 ? a.version : b.version;
  for (const auto& framework : environment.frameworks) {
    for (const auto* one : {&a, &b}) {
      if (framework.package == one->name && PublicVersion(framework.version) == PublicVersion(one->version))
        version = one->version;
    }
  }
  finding.fix = {.text = "uninstall it until nothing is left, then install it once",
                 .commands = {pip + " uninstall -y " + Plain(b.name), pip + " uninstall -y " + Plain(b.name),
                              pip + " install " + ForPip({b.name, version})},
                 .risk = report::Risk::kMedium};
  finding.fix.changes = {report::RemovePackage{environment.prefix, b.name}};  // every record of it
  AddInstall(scene, environment, {b.name, version}, Pip::kMissing, finding.fix.changes);
}

// CUL6006, CUL6008 and CUL6013 tell of these.
bool HasOwnRule(const snapshot::PythonPackage& package) {
  return std::ranges::any_of(std::array{"onnxruntime", "cupy", "nvidia-"},
                             [&](const char* start) { return package.name.starts_with(start); });
}

void TellOverwritten(const Scene& scene, const snapshot::PythonEnvironment& environment, Ruling& ruling) {
  for (const snapshot::PythonPackage& package : environment.packages) {
    std::map<std::string, std::vector<const snapshot::DamagedFile*>> by_other;
    for (const snapshot::DamagedFile& file : package.damaged) {
      if (!file.overwritten_by.empty()) by_other[file.overwritten_by].push_back(&file);
    }
    for (const auto& [name, files] : by_other) {
      const snapshot::PythonPackage* other = environment.Find(name);
      if (other == nullptr || HasOwnRule(package)) continue;
      report::Finding& finding =
          ruling.Fire(other->name + " " + other->version + " has overwritten " +
                          std::to_string(files.size()) + (files.size() == 1 ? " library" : " libraries") +
                          " of " + package.name + " " + package.version + " in " + environment.prefix,
                      other->record, {environment.prefix, package.record});
      finding.severity = report::Severity::kError;
      finding.affects.push_back(package.name + " in " + environment.prefix);
      finding.evidence.push_back({files.front()->path + " has " + files.front()->actual +
                                      " bytes, as the RECORD of " + other->name + " says, not " +
                                      files.front()->expected,
                                  package.record + "/RECORD"});
      const bool keep_other = package.name.ends_with("-cpu");
      const snapshot::PythonPackage& kept = keep_other ? *other : package;
      finding.fix = KeepOnly(scene, environment, {&package, other}, {kept.name, kept.version},
                             "uninstall both, then install only " + kept.name +
                                 "; uninstalling just one removes files of the other");
    }
  }
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const auto& environment : EnvironmentsOf(scene, ruling)) {
    TellOverwritten(scene, environment, ruling);
    const auto& packages = environment.packages;  // sorted by name
    for (size_t i = 1; i < packages.size(); ++i) {
      const auto &a = packages[i - 1], &b = packages[i];
      if (a.name != b.name || a.version == b.version || !Matters(a.name)) continue;
      if (base::DirName(a.record) != base::DirName(b.record)) continue;
      Tell(scene, environment, a, b,
           a.name + " has two records in " + environment.prefix + ": " + a.version + " and " + b.version,
           ruling);
    }
    for (const auto& [conda_name, pip_name] : kCondaNames) {
      const snapshot::PythonPackage *conda = nullptr, *pip = nullptr;
      for (const auto& package : packages) {
        if (package.name == conda_name && package.installer == "conda" &&
            package.record.find("/conda-meta/") != std::string::npos) {
          conda = &package;
        }
        const bool by_pip = package.installer == "pip" || package.installer == "uv";
        if (package.name == pip_name && by_pip && package.record.starts_with(environment.prefix + "/"))
          pip = &package;
      }
      if (conda == nullptr || pip == nullptr) continue;
      Tell(scene, environment, *conda, *pip,
           "conda installed " + conda->name + " " + conda->version + " and " + pip->installer +
               " installed " + pip->name + " " + pip->version + " over it in " + environment.prefix,
           ruling);
    }
  }
}

}  // namespace

extern const Rule kRule = {
    .code = "CUL6016",
    .name = "framework_installed_twice",
    .family = Family::kPython,
    .root = report::Root::kOverwrites,
    .cause = "framework-version-conflict",
    .severity = report::Severity::kWarning,
    .since = "0.2.0",
    .title = "an environment contains two copies of one package, or two packages with the same files",
    .page = kPage,
    .check = Check};

}  // namespace culprit::rules::framework_installed_twice

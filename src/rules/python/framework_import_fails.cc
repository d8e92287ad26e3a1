// CUL6002: a framework's import fails for a reason that no more specific rule covers.
#include <algorithm>

#include "base/text.h"
#include "knowledge/libraries.h"
#include "knowledge/packages/imports.h"
#include "rules/kit/driver/driver_choice.h"
#include "rules/kit/file_fixes.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/kit/python/package_changes.h"
#include "rules/kit/python/package_facts.h"
#include "rules/kit/python/package_of_file.h"
#include "rules/kit/python/shadowing.h"

namespace culprit::rules::framework_import_fails {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
In the simulated import a file of the framework itself, or a system library that it needs, does not load.

## Why it breaks
`ImportError: libX.so: cannot open shared object file`, `ModuleNotFoundError: No module named 'torch._C'`. The message
names the missing file and never the file that needs it.

## How culprit knows
It follows the steps of the import (data/imports.toml) and resolves every name as ld.so would, in this environment, with
these variables.

## Fix
Reinstall the package if its own file is missing or damaged; install the system library if that is missing; fix
LD_LIBRARY_PATH if a wrong file shadows it.

## When this is not your problem
You do not use the framework here, or you start it with other variables than those of this shell.

## Sources
The Python files of the wheels named in data/imports.toml; ld.so(8).
)md";

// Another rule reports missing CUDA libraries and a missing driver.
bool IsCudaLibrary(const std::string& name) {
  return knowledge::FindLibrary(base::BaseName(name)) != nullptr;
}

// A file of the framework's own package, which a reinstall restores; everything else belongs to the system.
bool IsOwn(const snapshot::Framework& framework, const loader::Request* cause) {
  if (cause == nullptr || cause->name.find('/') != std::string::npos) return true;
  // Names that only this package has: libtorch_cuda.so, libtensorflow_framework.so.2.
  return base::BaseName(cause->name).starts_with("lib" + framework.name) ||
         base::BaseName(cause->name).starts_with("libc10");
}

bool IsTensorrt(std::string_view name) { return name.starts_with("libnvinfer"); }

// TensorRT's bindings need the libraries of the same version, which are a separate package.
std::optional<report::Fix> LibrariesOfTensorrt(const snapshot::PythonEnvironment& environment,
                                               std::string_view missing) {
  constexpr std::string_view kBindings = "-bindings";
  for (const snapshot::PythonPackage& package : environment.packages) {
    if (!IsTensorrt(missing) || !package.name.starts_with("tensorrt") || !package.name.ends_with(kBindings))
      continue;
    const std::string libraries = package.name.substr(0, package.name.size() - kBindings.size()) + "-libs";
    return report::Fix{
        .text = "install the TensorRT libraries of the same version",
        .commands = {PipOf(environment) + " install " + Plain(libraries) + "==" + Plain(package.version)},
        .risk = report::Risk::kLow,
        .changes = {report::InstallPackage{environment.prefix, libraries, package.version}}};
  }
  return std::nullopt;
}

// A package that another one requires, that is not installed, and that has the name of the library:
// custatevec-cu12 for libcustatevec.so.1.
std::optional<report::Fix> InstallRequired(const Scene& scene, const snapshot::PythonEnvironment& environment,
                                           const std::string& missing) {
  std::string stem(missing.substr(0, missing.find(".so")));
  if (stem.starts_with("lib")) stem.erase(0, 3);
  for (const snapshot::PythonPackage& package : environment.packages) {
    for (const snapshot::Requirement& requirement : package.requirements) {
      const std::string& name = requirement.name;
      const bool of_name = name == stem || name.starts_with(stem + "-cu");
      if (!of_name || environment.Find(name) != nullptr || AskedOf(scene, environment, name).empty())
        continue;
      report::Fix fix{.text = "install " + name + ", which " + package.name + " requires",
                      .commands = {PipOf(environment) + " install " + Plain(name)},
                      .risk = report::Risk::kLow};
      if (!environment.site_packages.empty())
        fix.changes = {report::InstallPackage{environment.prefix, name, ""}};
      return fix;
    }
  }
  return std::nullopt;
}

report::Fix FixFor(const Scene& scene, const snapshot::PythonEnvironment& environment,
                   const snapshot::Framework& framework, const loader::Request* cause) {
  const std::string subject = cause != nullptr ? cause->name : framework.directory;
  const Command why = "culprit why " + Word(base::BaseName(subject)) + " --for " + PythonOf(environment);
  auto again = cause == nullptr ? std::nullopt : BringBack(environment, cause->name);
  const std::string& package = framework.package.empty() ? framework.name : framework.package;
  const bool own = again && again->changes.front() ==
                                report::InstallPackage{environment.prefix, package, framework.version};
  if (again && !own) return *std::move(again);
  if (own || IsOwn(framework, cause)) {
    const Build same = SameBuild(scene, environment, framework);
    const Wanted alone{same.wanted.package, same.wanted.version};
    report::Fix fix{.text = "reinstall " + alone.package + ": one of its own files is missing",
                    .commands = {PipOf(environment) + " install --force-reinstall --no-deps " +
                                     ForPip(alone) + same.index,
                                 why},
                    .risk = report::Risk::kLow};
    AddInstall(scene, environment, alone, Pip::kAlone, fix.changes);
    return fix;
  }
  if (auto libraries = LibrariesOfTensorrt(environment, cause->name)) return *std::move(libraries);
  if (auto required = InstallRequired(scene, environment, cause->name)) return *std::move(required);
  report::Fix fix{.text = "install the system package that provides " + cause->name,
                  .commands = {why},
                  .risk = report::Risk::kLow};
  if (Command command = InstallOfSystem(scene, cause->name); !command.empty())
    fix.commands.insert(fix.commands.begin(), std::move(command));
  const std::string directory = SystemDirectory(scene);
  if (directory.empty()) return fix;
  report::PutLibrary put;
  put.path = base::JoinPath(directory, cause->name);
  put.soname = cause->name;
  fix.changes = {put, report::RefreshCache{}};
  return fix;
}

// A module of the framework that is there for another Python and not for this one: in the place of
// "core.cpython-311-*.so" lies "core.cpython-310-x86_64-linux-gnu.so".
struct OtherModule {
  std::string python;  // "3.10"; "" if there is none
  std::string path;
};
OtherModule ModuleOfOtherPython(const Scene& scene, const snapshot::Framework& framework,
                                const std::string& import_error) {
  constexpr std::string_view kMissing = "no such file: ", kTag = ".cpython-";
  if (!import_error.starts_with(kMissing)) return {};
  const std::string pattern = import_error.substr(kMissing.size());
  const size_t tag = pattern.find(kTag);
  if (tag == std::string::npos) return {};
  const std::string path = base::JoinPath(base::DirName(framework.directory), pattern.substr(0, tag));
  const std::string start = std::string(base::BaseName(path)) + std::string(kTag) + "3";
  const auto items = scene.view.List(std::string(base::DirName(path)));
  if (!items) return {};
  for (const snapshot::DirectoryItem& item : *items) {
    if (!item.name.starts_with(start)) continue;
    const std::string minor =
        item.name.substr(start.size(), item.name.find('-', start.size()) - start.size());
    if (base::IsNumber(minor)) return {"3." + minor, base::JoinPath(base::DirName(path), item.name)};
  }
  return {};
}

void CheckScenario(const Scene& scene, const loader::Scenario& scenario, Ruling& ruling) {
  const auto* environment = scene.EnvironmentOf(scenario);
  const auto* framework = scene.FrameworkOf(scenario);
  if (environment == nullptr || framework == nullptr) return;
  if (ShadowingOf(scene, *environment, ModuleOf(*framework))) return;  // CUL6015
  if (scenario.graph.import_error.empty()) {
    // That it opens CUDA libraries itself is written down, for other releases.
    if (!framework->cpu_only && knowledge::HasImportRows(framework->name) && HidesRuntime(scene, scenario))
      ruling.NotEnoughFacts("whether " + scenario.title + " finds its CUDA libraries",
                            "which ones this release opens is not known");
    return;
  }
  if (scenario.graph.uncertain) {
    ruling.NotEnoughFacts("import of " + scenario.title, scenario.graph.import_error);
    return;
  }
  const loader::Request* cause = nullptr;
  for (const loader::Request& request : scenario.graph.requests) {
    if (request.error.empty() || request.optional || request.alternative) continue;
    if (IsCudaLibrary(request.name)) return;
    if (FindRuntime(scene, request.name) != nullptr) return;
    if (request.missing_version) return;  // CUL5009, CUL5010, CUL5011
    cause = &request;                     // the innermost is last
  }
  // Damaged package files, files for another machine and missing symbol versions have their own rules.
  if (scenario.graph.import_lacks_version) return;
  if (!scenario.graph.missing_versions.empty() || !scenario.graph.missing_exports.empty()) return;
  const auto own = [](const loader::Attempt& attempt) {
    return attempt.outcome != loader::Outcome::kMissing &&
           attempt.outcome != loader::Outcome::kDanglingLink && attempt.outcome != loader::Outcome::kFound;
  };
  if (cause != nullptr && std::ranges::any_of(cause->attempts, own)) return;
  if (std::ranges::any_of(FailedLoads(scene), [&](const FailedLoad& failed) {
        if (failed.request == cause) return failed.why == Why::kLinkMissing;  // CUL5001
        // It was opened by path before, and is damaged.
        return failed.scenario == &scenario && cause != nullptr && IsDamage(failed.why) &&
               base::BaseName(failed.file) == base::BaseName(cause->name);
      }))
    return;
  const std::string subject = cause != nullptr ? cause->name : framework->directory;
  report::Finding& finding = ruling.Fire(
      "import " + framework->name + " fails in " + environment->prefix + ": " + scenario.graph.import_error,
      subject, {framework->name, environment->prefix});
  finding.affects.push_back(scenario.title);
  finding.evidence.push_back({scenario.graph.import_error, "predicted by the loader model"});
  if (cause != nullptr && !cause->requester_path.empty()) {
    finding.evidence.push_back({cause->requester_path + " needs " + cause->name, cause->requester_path});
  }
  if (cause != nullptr && IsTensorrt(cause->name)) finding.cause = "cuda-library-missing";
  finding.fix = FixFor(scene, *environment, *framework, cause);
  if (const OtherModule other = ModuleOfOtherPython(scene, *framework, scenario.graph.import_error);
      !other.python.empty()) {
    finding.evidence.push_back({other.path + " is for Python " + other.python, other.path});
    finding.cause = "framework-version-conflict";
    finding.summary = framework->name + " in " + environment->prefix + " was built for Python " +
                      other.python + ", this is Python " + environment->python;
    finding.fix.text = "reinstall it with this Python; do not copy packages from another one";
  }
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const loader::Scenario& scenario : scene.scenarios) CheckScenario(scene, scenario, ruling);
}

}  // namespace

extern const Rule kRule = {.code = "CUL6002",
                           .name = "framework_import_fails",
                           .family = Family::kPython,
                           .cause = "dependent-missing",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "a framework's import fails because a file does not load",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::framework_import_fails

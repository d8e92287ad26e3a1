// CUL6015: a framework in ~/.local or on PYTHONPATH shadows the environment's.
#include <algorithm>

#include "base/text.h"
#include "rules/kit/python/package_facts.h"
#include "rules/kit/python/shadowing.h"

namespace culprit::rules::user_site_shadows {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A package was once installed with `pip install --user`. That directory (~/.local/lib/pythonX.Y/site-packages) is
searched before the packages of a conda environment or of the system, so its copy is imported instead of the
environment's. PYTHONPATH does the same, for every Python that is started with it, and so does a .pth file that changes
sys.path. A folder or a script that happens to have the name of the framework is enough.

## Why it breaks
The copy in ~/.local has another version or another CUDA than the rest of the environment expects, or is something
else altogether. `pip list` shows one version, the traceback has paths in ~/.local.
## How culprit knows
It builds sys.path as Python's site module does and finds the module twice.

## Fix
Set PYTHONNOUSERSITE=1 to see whether this is the cause, then uninstall the copy in ~/.local; or unset PYTHONPATH;
or delete the .pth file; or rename your own file.

## When this is not your problem
Both have the same version and build. As long as the other copy works, this is a warning. A venv without system packages
never searches ~/.local.

## Sources
CPython: Lib/site.py (order of user site and site-packages, PYTHONNOUSERSITE, .pth files; PYTHONPATH comes before both).
)md";

// Where the imported module comes from, if not from the environment.
report::Finding& Fire(const Scene& scene, const snapshot::PythonEnvironment& environment,
                      const snapshot::Framework& framework, const Shadowing& shadow, std::string summary,
                      std::string other, Ruling& ruling) {
  report::Finding& finding =
      ruling.Fire(std::move(summary), shadow.path, {environment.prefix, std::move(other)});
  const auto* scenario = ScenarioOf(scene, environment, framework.name);
  if (scenario != nullptr && !Works(*scenario)) finding.severity = report::Severity::kError;
  finding.affects.push_back(TitleOf(environment, framework));
  finding.fix = WithoutShadow(scene, environment, shadow, ModuleOf(framework));
  return finding;
}

void CheckFramework(const Scene& scene, const snapshot::PythonEnvironment& environment,
                    const snapshot::Framework& framework, Ruling& ruling) {
  const auto shadow = ShadowingOf(scene, environment, ModuleOf(framework));
  if (!shadow) return;
  for (const auto& package : environment.packages) {
    if (package.name != framework.package || base::DirName(package.record) == shadow->directory) continue;
    if (base::DirName(framework.directory) != shadow->directory) continue;
    // Of two copies of one package, only the version matters.
    const std::string release = framework.version.substr(0, framework.version.find('+'));
    const bool twice = std::ranges::any_of(environment.packages, [&](const snapshot::PythonPackage& other) {
      return other.name == package.name && base::DirName(other.record) == shadow->directory;
    });
    if (!twice) break;
    if (package.installer == "conda" || MajorOf(package.version).empty()) continue;
    if (package.version == framework.version || package.version == release) return;
    report::Finding& finding = Fire(scene, environment, framework, *shadow,
                                    framework.name + " " + framework.version + " in " + shadow->directory +
                                        " shadows " + package.version + " in " + environment.prefix,
                                    package.version, ruling);
    finding.evidence.push_back({framework.name + " " + framework.version, framework.source});
    finding.evidence.push_back({package.name + " " + package.version, package.record});
    return;
  }
  // Another package, a checkout, or a file that only has the same name.
  report::Finding& finding =
      Fire(scene, environment, framework, *shadow,
           shadow->path + " shadows " + ModuleOf(framework) + " in " + environment.prefix, "", ruling);
  finding.evidence.push_back({"`import " + ModuleOf(framework) + "` loads this", shadow->path});
  finding.evidence.push_back({"not this", shadow->hidden});
  if (!shadow->source.empty())
    finding.evidence.push_back(
        {shadow->source + " puts " + shadow->directory + " first on sys.path",
         shadow->through == Shadowing::Through::kPythonPath ? "environment" : shadow->source});
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const auto& environment : EnvironmentsOf(scene, ruling)) {
    for (const auto& framework : environment.frameworks)
      CheckFramework(scene, environment, framework, ruling);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL6015",
                           .name = "user_site_shadows",
                           .family = Family::kPython,
                           .root = report::Root::kOverwrites,
                           .cause = "framework-version-conflict",
                           .severity = report::Severity::kWarning,
                           .since = "0.2.0",
                           .title = "a framework outside the environment shadows the one inside",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::user_site_shadows

// CUL6015: a framework in ~/.local or on PYTHONPATH shadows the environment's.
#include <algorithm>

#include "base/text.h"
#include "rules/kit/python/package_facts.h"

namespace culprit::rules::user_site_shadows {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A package was once installed with `pip install --user`. That directory (~/.local/lib/pythonX.Y/site-packages) is
searched before the packages of a conda environment or of the system, so its copy is imported instead of the
environment's. PYTHONPATH does the same, for every Python that is started with it.

## Why it breaks
The copy in ~/.local has another version or another CUDA than the rest of the environment was installed for. `pip list`
shows one version, the traceback has paths in ~/.local.

## How culprit knows
It builds sys.path as Python's site module does and finds the module twice.

## Fix
Set PYTHONNOUSERSITE=1 to see whether this is the cause, then uninstall the copy in ~/.local; or unset PYTHONPATH.

## When this is not your problem
Both have the same version and build. As long as the other copy works, this is a warning. A venv without system packages
never searches ~/.local.

## Sources
CPython: Lib/site.py (order of user site and site-packages, PYTHONNOUSERSITE; PYTHONPATH comes before both).
)md";

// Where the imported module comes from, if not from the environment.
enum class Shadow { kNone, kUserSite, kPythonPath };

Shadow ShadowOf(const Scene& scene, const snapshot::PythonEnvironment& environment, const std::string& site) {
  const auto path = base::SplitWords(scene.Variable("PYTHONPATH"), scene.OnWindows() ? ";" : ":");
  const bool in_path = std::ranges::any_of(
      path, [&](const std::string& element) { return base::CleanPath(element) == base::CleanPath(site); });
  if (in_path) return Shadow::kPythonPath;
  const bool in_user_site = site.find("/.local/lib/python") != std::string::npos ||
                            (scene.IsSet("PYTHONUSERBASE") &&
                             site.starts_with(std::string(scene.Variable("PYTHONUSERBASE")) + "/lib/python"));
  return in_user_site && environment.prefix.find("/.local") == std::string::npos ? Shadow::kUserSite
                                                                                 : Shadow::kNone;
}

report::Fix FixFor(const Scene& scene, const snapshot::PythonEnvironment& environment,
                   const std::string& site, const std::string& module, Shadow shadow) {
  const Command show = PythonOf(environment) + " -c \"import " + Plain(module) + " as m; print(m.__file__)\"";
  if (shadow == Shadow::kUserSite) {
    return {.text =
                "set PYTHONNOUSERSITE=1, which hides the home directory from Python; if nothing else needs "
                "the copy there, uninstall it",
            .commands = {"export PYTHONNOUSERSITE=1", show},
            .risk = report::Risk::kLow,
            .changes = {report::SetVariable{"PYTHONNOUSERSITE", "1"}}};
  }
  std::string rest;
  for (const std::string& element : base::SplitWords(scene.Variable("PYTHONPATH"), ":")) {
    if (base::CleanPath(element) != base::CleanPath(site)) rest += (rest.empty() ? "" : ":") + element;
  }
  if (rest.empty()) {
    return {.text = "unset PYTHONPATH for programs of this environment",
            .commands = {"unset PYTHONPATH", show},
            .risk = report::Risk::kLow,
            .changes = {report::UnsetVariable{"PYTHONPATH"}}};
  }
  return {.text = "remove " + site + " from PYTHONPATH for programs of this environment",
          .commands = {"export PYTHONPATH=" + Quoted(rest), show},
          .risk = report::Risk::kLow,
          .changes = {report::DropFromList{"PYTHONPATH", site}}};
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const auto& environment : EnvironmentsOf(scene, ruling)) {
    for (const auto& framework : environment.frameworks) {
      const std::string site(base::DirName(framework.directory));
      const Shadow shadow = ShadowOf(scene, environment, site);
      if (shadow == Shadow::kNone) continue;
      for (const auto& package : environment.packages) {
        if (package.name != framework.package || base::DirName(package.record) == site) continue;
        const std::string release = framework.version.substr(0, framework.version.find('+'));
        if (package.installer == "conda" || MajorOf(package.version).empty()) continue;
        if (package.version == framework.version || package.version == release) continue;
        report::Finding& finding =
            ruling.Fire(framework.name + " " + framework.version + " in " + site + " shadows " +
                            package.version + " in " + environment.prefix,
                        framework.directory, {environment.prefix, package.version});
        const auto* scenario = ScenarioOf(scene, environment, framework.name);
        if (scenario != nullptr && !Works(*scenario)) finding.severity = report::Severity::kError;
        finding.affects.push_back(TitleOf(environment, framework));
        finding.evidence.push_back({framework.name + " " + framework.version, framework.source});
        finding.evidence.push_back({package.name + " " + package.version, package.record});
        finding.fix =
            FixFor(scene, environment, site, std::string(base::BaseName(framework.directory)), shadow);
        break;
      }
    }
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

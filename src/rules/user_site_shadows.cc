// CUL6015: a framework in ~/.local wins over the one of the environment.
#include "base/text.h"
#include "rules/package_facts.h"
#include "rules/table.h"

namespace culprit::rules {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A package was once installed with `pip install --user`. That directory (~/.local/lib/pythonX.Y/site-packages) is
searched before the packages of a conda environment or of the system, so its copy is imported, and not the one that
this environment holds.

## Why it breaks
The copy in ~/.local has another version or another CUDA; what the environment holds was installed to fit the rest of
it. `pip list` shows one version, the traceback has paths of ~/.local.

## How culprit knows
It builds sys.path as Python's site module does and finds the module twice.

## Fix
Set PYTHONNOUSERSITE=1 to see whether that is it, then uninstall the copy in ~/.local.

## When this is not your problem
Both are of the same version and build. A venv without system packages never looks into ~/.local.

## Sources
CPython: Lib/site.py (order of user site and site-packages, PYTHONNOUSERSITE).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const auto& environment : EnvironmentsOf(scene, ruling)) {
    for (const auto& framework : environment.frameworks) {
      const std::string site(base::DirName(framework.directory));
      const bool in_user_site =
          site.find("/.local/lib/python") != std::string::npos ||
          (scene.IsSet("PYTHONUSERBASE") &&
           site.starts_with(std::string(scene.Variable("PYTHONUSERBASE")) + "/lib/python"));
      if (!in_user_site || environment.prefix.find("/.local") != std::string::npos) continue;
      for (const auto& package : environment.packages) {
        if (package.name != framework.package || base::DirName(package.record) == site) continue;
        const std::string release = framework.version.substr(0, framework.version.find('+'));
        if (package.installer == "conda" || MajorOf(package.version).empty()) continue;
        if (package.version == framework.version || package.version == release) continue;
        report::Finding& finding =
            ruling.Fire(framework.name + " " + framework.version + " in " + site + " is imported before " +
                            package.version + " of " + environment.prefix,
                        framework.directory);
        finding.affects.push_back(TitleOf(environment, framework));
        finding.evidence.push_back({framework.name + " " + framework.version, framework.source});
        finding.evidence.push_back({package.name + " " + package.version, package.record});
        const std::string python =
            environment.interpreter.empty() ? std::string("python3") : environment.interpreter;
        finding.fix = {
            .text =
                "set PYTHONNOUSERSITE=1, which hides the home directory from Python; where nothing else "
                "needs the "
                "copy there, uninstall it",
            .commands = {"export PYTHONNOUSERSITE=1", python + " -c \"import " +
                                                          std::string(base::BaseName(framework.directory)) +
                                                          " as m; print(m.__file__)\""},
            .risk = "low",
            .changes = {report::SetVariable{"PYTHONNOUSERSITE", "1"}}};
        break;
      }
    }
  }
}

}  // namespace

const Rule kUserSiteShadows = {
    .code = "CUL6015",
    .name = "user_site_shadows",
    .cause = "framework-version-conflict",
    .severity = report::Severity::kWarning,
    .since = "0.2.0",
    .title = "a framework in the home directory is imported before that of the environment",
    .page = kPage,
    .check = Check};

}  // namespace culprit::rules

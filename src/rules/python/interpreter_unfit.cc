// CUL6023: an environment's interpreter is gone, or has another version than its packages.
#include "base/text.h"
#include "rules/kit/file_fixes.h"
#include "rules/kit/python/package_facts.h"

namespace culprit::rules::interpreter_unfit {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A virtual environment has no Python of its own: bin/python3 is a symlink to the one that it was created from. That
Python was removed, or the symlink now points to another version.
## Why it breaks
Without it nothing starts: "bad interpreter: No such file or directory". Another version searches lib/python3.Y instead of the
lib/python3.X that has the packages: "ModuleNotFoundError: No module named 'torch'", although pip once installed it.

## How culprit knows
It follows the symlink and compares the version in the name of the interpreter with pyvenv.cfg and the directory of
packages.
## Fix
Install that Python again, or recreate the environment with a Python that is installed.
## When this is not your problem
You no longer use this environment.

## Sources
PEP 405 (virtual environments); the venv module of CPython.
)md";

report::Fix NewEnvironment(const snapshot::PythonEnvironment& environment, std::string text) {
  return {.text = std::move(text) + "or recreate the environment: python3 -m venv",
          .commands = {"python3 -m venv --clear " + Word(environment.prefix)},
          .risk = report::Risk::kMedium};
}

void CheckGone(const Scene& scene, const snapshot::PythonEnvironment& environment, Ruling& ruling) {
  const std::string link = base::JoinPath(environment.prefix, "bin/python3");
  if (!scene.view.Open(link).dangling) return;
  const std::string target = scene.view.RealPath(link);
  const bool known = target != link;
  report::Finding& finding = ruling.Fire(
      link + " is a dangling symlink" + (known ? ": there is no " + target : ""), link, {environment.prefix});
  finding.cause = "broken-symlink";
  finding.affects.push_back(environment.prefix);
  finding.evidence.push_back({"the Python that the environment was created from is gone", link});
  finding.fix = NewEnvironment(environment, known ? "install " + target + " again, " : "");
  if (!known) return;
  report::PutLibrary python{.path = target};
  python.program = true;
  finding.fix.changes = {python};
}

// "3.11" for "/usr/bin/python3.11".
std::string VersionInName(const std::string& path) {
  constexpr std::string_view kName = "python3.";
  const std::string_view name = base::BaseName(path);
  const bool versioned = name.starts_with(kName) && base::IsNumber(name.substr(kName.size()));
  return versioned ? std::string(name.substr(kName.size() - 2)) : "";
}

void CheckVersion(const Scene& scene, const snapshot::PythonEnvironment& environment, Ruling& ruling) {
  const std::string real = scene.view.RealPath(environment.interpreter);
  const std::string version = VersionInName(real);
  const std::string lib = base::JoinPath(environment.prefix, "lib/python");
  const auto has_packages = [&](const std::string& python) {
    return scene.view.Directory(lib + python + "/site-packages");
  };
  if (version.empty() || environment.python.empty() || version == environment.python) return;
  if (has_packages(environment.python) != base::PathError::kNone) return;
  if (has_packages(version) != base::PathError::kNoEntry) return;
  report::Finding& finding =
      ruling.Fire(environment.interpreter + " is Python " + version + ", the packages of " +
                      environment.prefix + " are for Python " + environment.python,
                  environment.interpreter, {version, environment.python});
  finding.affects.push_back(environment.prefix);
  finding.evidence.push_back({environment.interpreter + " points to " + real, environment.interpreter});
  finding.evidence.push_back(
      {"the packages are in " + lib + environment.python + "/site-packages", lib + environment.python});
  const std::string old = std::string(base::DirName(real)) + "/python" + environment.python;
  finding.fix = NewEnvironment(environment, "point the symlink to python" + environment.python + " again, ");
  if (scene.view.Open(old).error != base::PathError::kNone) return;
  const std::string place = PlaceOf(scene, environment.interpreter);
  finding.fix.commands = {Sudo(scene, place) + "ln -sfn " + Word(old) + " " + Word(environment.interpreter)};
  finding.fix.changes = {report::PutLink{place, old}};
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const snapshot::PythonEnvironment& environment : EnvironmentsOf(scene, ruling)) {
    if (environment.kind != snapshot::EnvironmentKind::kVenv) continue;
    if (environment.interpreter.empty())
      CheckGone(scene, environment, ruling);
    else
      CheckVersion(scene, environment, ruling);
  }
}

}  // namespace

extern const Rule kRule = {
    .code = "CUL6023",
    .name = "interpreter_unfit",
    .family = Family::kPython,
    .root = report::Root::kOverwrites,
    .cause = "framework-version-conflict",
    .severity = report::Severity::kError,
    .where = Where::kLinux,
    .since = "0.9.0",
    .title = "an environment's interpreter is gone, or has another version than its packages",
    .page = kPage,
    .check = Check};

}  // namespace culprit::rules::interpreter_unfit

#include "rules/kit/python/shadowing.h"

#include <algorithm>

#include "base/text.h"
#include "rules/kit/python/package_facts.h"
#include "rules/kit/variables/variable_fixes.h"

namespace culprit::rules {
namespace {

using base::JoinPath;
using base::PathError;
using Through = Shadowing::Through;

bool IsUserSite(const Scene& scene, const snapshot::PythonEnvironment& environment, const std::string& site) {
  const bool in_home = site.find("/.local/lib/python") != std::string::npos ||
                       (scene.IsSet("PYTHONUSERBASE") &&
                        site.starts_with(std::string(scene.Variable("PYTHONUSERBASE")) + "/lib/python"));
  return in_home && environment.prefix.find("/.local") == std::string::npos;
}

// How the directory comes before the environment's own; `through` of a directory of the environment is
// nullopt.
struct Way {
  std::optional<Through> through;
  std::string source;
};
Way WayOf(const Scene& scene, const snapshot::PythonEnvironment& environment, const std::string& site) {
  for (const snapshot::SearchedFirst& first : environment.searched_first) {
    if (first.directory != site) continue;
    return {first.source == "PYTHONPATH" ? Through::kPythonPath : Through::kPthFile, first.source};
  }
  if (IsUserSite(scene, environment, site)) return {Through::kUserSite, ""};
  return {};
}

// What `import` finds in a directory; a folder without __init__.py gives way to any other. "" nothing.
std::string FoundIn(const Scene& scene, const std::string& directory, const std::string& module) {
  const auto there = [&](const std::string& path) {
    const snapshot::FileFacts& file = scene.view.Open(path);
    return file.error == PathError::kNone && file.kind == snapshot::FileKind::kRegular;
  };
  const std::string folder = JoinPath(directory, module);
  if (there(folder + "/__init__.py")) return folder;
  return there(folder + ".py") ? folder + ".py" : "";
}

}  // namespace

std::string ModuleOf(const snapshot::Framework& framework) {
  return std::string(base::BaseName(framework.directory));
}

std::optional<Shadowing> ShadowingOf(const Scene& scene, const snapshot::PythonEnvironment& environment,
                                     const std::string& module) {
  if (module.empty()) return std::nullopt;
  std::optional<Shadowing> shadow;
  for (const std::string& site : environment.site_packages) {
    const Way way = WayOf(scene, environment, site);
    if (shadow && way.through) continue;  // only what the environment itself has is hidden
    const std::string path = FoundIn(scene, site, module);
    if (path.empty()) continue;
    if (shadow) {
      shadow->hidden = path;
      return shadow;
    }
    if (!way.through) return std::nullopt;
    shadow = Shadowing{*way.through, site, path, way.source, ""};
  }
  return std::nullopt;
}

report::Fix WithoutShadow(const Scene& scene, const snapshot::PythonEnvironment& environment,
                          const Shadowing& shadow, const std::string& module) {
  const Command show = PythonOf(environment) + " -c \"import " + Plain(module) + " as m; print(m.__file__)\"";
  if (shadow.through == Through::kUserSite) {
    return {.text =
                "set PYTHONNOUSERSITE=1, which hides the home directory from Python; if nothing else needs "
                "the copy there, uninstall it",
            .commands = {"export PYTHONNOUSERSITE=1", show},
            .risk = report::Risk::kLow,
            .changes = {report::SetVariable{"PYTHONNOUSERSITE", "1"}}};
  }
  if (shadow.through == Through::kPthFile) {
    return {.text = "delete " + shadow.source + ", which puts " + shadow.directory +
                    " first on sys.path, or remove that line from it",
            .commands = {"rm " + Word(shadow.source), show},
            .risk = report::Risk::kMedium,
            .changes = {report::RemoveFile{shadow.source}}};
  }
  const std::string rest = WithoutEntries(scene.Variable("PYTHONPATH"), ":", [&](const std::string& entry) {
    return base::CleanPath(entry) == base::CleanPath(shadow.directory);
  });
  report::Fix fix =
      SetOrUnset(scene, "PYTHONPATH", rest,
                 "remove " + shadow.directory + " from PYTHONPATH for programs of this environment");
  if (!rest.empty()) fix.changes = {report::DropFromList{"PYTHONPATH", shadow.directory}};
  fix.commands.push_back(show);
  return fix;
}

}  // namespace culprit::rules

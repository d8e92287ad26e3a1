#include "rules/kit/loading/forced_copy.h"

#include <algorithm>

#include "base/text.h"
#include "rules/kit/load_facts.h"
#include "rules/kit/load_fixes.h"

namespace culprit::rules {
namespace {

report::Fix WithoutPreload(const Scene& scene, const std::string& file) {
  std::string rest;
  for (const std::string& element : base::SplitWords(scene.Variable("LD_PRELOAD"), " :")) {
    if (element != file && element != base::BaseName(file)) rest += (rest.empty() ? "" : ":") + element;
  }
  report::Fix fix{.text = "remove " + file +
                          " from LD_PRELOAD: it is loaded before everything else and shadows the copy that "
                          "the program bundles",
                  .commands = {rest.empty() ? "unset LD_PRELOAD" : "export LD_PRELOAD=" + Quoted(rest)},
                  .risk = report::Risk::kLow};
  if (rest.empty()) {
    fix.changes = {report::UnsetVariable{"LD_PRELOAD"}};
  } else {
    fix.changes = {report::SetVariable{"LD_PRELOAD", rest}};
  }
  return fix;
}

}  // namespace

bool ForcedByVariable(const Scene& scene, const loader::Scenario& scenario, const loader::Object& object) {
  const bool preloaded = object.via == loader::Via::kLdPreload && !scene.Variable("LD_PRELOAD").empty();
  if (object.via != loader::Via::kLdLibraryPath && !preloaded) return false;
  const auto* environment = scene.EnvironmentOf(scenario);
  return environment == nullptr || !scene.view.RealPath(object.path).starts_with(environment->prefix + "/");
}

report::Fix WithoutVariable(const Scene& scene, const loader::Object& object) {
  return object.via == loader::Via::kLdPreload
             ? WithoutPreload(scene, object.path)
             : WithoutSearchDirectory(scene, std::string(base::DirName(object.path)));
}

std::optional<report::Fix> LetOwnCudnnWin(const Scene& scene, const loader::Scenario& scenario,
                                          const std::string& file) {
  const snapshot::PythonEnvironment* environment = scene.EnvironmentOf(scenario);
  if (environment == nullptr || !scene.stack().cudnn) return std::nullopt;
  const auto object = std::ranges::find(scenario.graph.objects, file, &loader::Object::path);
  if (object == scenario.graph.objects.end() || !ForcedByVariable(scene, scenario, *object))
    return std::nullopt;
  const bool own = std::ranges::any_of(*scene.stack().cudnn, [&](const snapshot::CudnnCopy& copy) {
    return copy.major == MajorOfName(base::BaseName(file)) && copy.missing_parts.empty() &&
           copy.directory.starts_with(environment->prefix + "/");
  });
  if (!own) return std::nullopt;
  return WithoutVariable(scene, *object);
}

}  // namespace culprit::rules

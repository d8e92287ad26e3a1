#include "rules/kit/loading/forced_copy.h"

#include <algorithm>

#include "base/text.h"
#include "rules/kit/load_facts.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/variables/variable_fixes.h"

namespace culprit::rules {
namespace {

report::Fix WithoutPreload(const Scene& scene, const std::string& file) {
  const auto is_it = [&](const std::string& entry) { return entry == file || entry == base::BaseName(file); };
  return SetOrUnset(scene, "LD_PRELOAD", WithoutEntries(scene.Variable("LD_PRELOAD"), ": ", is_it),
                    "remove " + file +
                        " from LD_PRELOAD: it is loaded before everything else and shadows the copy that "
                        "the program bundles");
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

#include "rules/kit/building/build_facts.h"

#include <algorithm>

#include "base/version.h"
#include "rules/kit/toolkit/toolkit_facts.h"

namespace culprit::rules {

const std::vector<BuildFolder>& Builds(const Scene& scene) {
  static const std::vector<BuildFolder> kNone;
  return scene.stack().builds ? *scene.stack().builds : kNone;
}

const BuildSetting* SettingOf(const BuildFolder& folder, BuildItem item) {
  const auto found = std::ranges::find(folder.settings, item, &BuildSetting::item);
  return found == folder.settings.end() ? nullptr : &*found;
}

Presence PathPresence(const Scene& scene, const std::string& path) {
  using base::PathError;
  const PathError file = scene.view.Open(path).error;
  if (file == PathError::kNone) return Presence::kYes;
  const PathError directory = scene.view.Directory(path);
  if (directory == PathError::kNone) return Presence::kYes;
  const bool gone = file == PathError::kNoEntry || file == PathError::kNotDirectory;
  return gone ? Presence::kNo : Presence::kUnknown;
}

std::string CudaOfBuild(const BuildFolder& folder) {
  const BuildSetting* nvcc = SettingOf(folder, BuildItem::kNvcc);
  return nvcc == nullptr || nvcc->version.empty() ? "" : Release(nvcc->version);
}

report::Fix ConfigureAgain(const BuildFolder& folder, std::string text,
                           const std::vector<Definition>& definitions, bool fresh) {
  report::Fix fix{.text = std::move(text), .commands = {}, .risk = report::Risk::kLow};
  fix.changes = {report::NotInFiles{"the build folder is configured again",
                                    "configure it, then run culprit check " + folder.path + " again"}};
  if (folder.system != snapshot::BuildSystem::kCmake || folder.project.empty()) return fix;
  // cmake --fresh came with 3.24.
  const auto version = base::Version::Parse(folder.system_version);
  if (fresh) fix.text += "; repeat your own -D options";
  const bool knows_fresh = version && *version >= *base::Version::Parse("3.24");
  if (fresh && !knows_fresh) fix.commands.push_back("rm " + Word(folder.path + "/CMakeCache.txt"));
  Command configure = "cmake ";
  if (fresh && knows_fresh) configure += "--fresh ";
  configure += "-S " + Word(folder.project) + " -B " + Word(folder.path);
  for (const Definition& definition : definitions)
    configure += " -D" + Plain(definition.name) + "=" + Word(definition.value);
  fix.commands.push_back(std::move(configure));
  fix.commands.push_back("cmake --build " + Word(folder.path));
  return fix;
}

report::Evidence AsEvidence(const BuildSetting& setting) {
  return {setting.name + " is " + (setting.value.empty() ? "not found" : setting.value) +
              (setting.version.empty() ? "" : " (" + setting.version + ")"),
          setting.source};
}

}  // namespace culprit::rules

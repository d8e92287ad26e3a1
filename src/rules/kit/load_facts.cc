#include "rules/kit/load_facts.h"

#include "base/text.h"
#include "base/windows/path.h"
#include "knowledge/libraries.h"
#include "rules/kit/variables/variable_fixes.h"

namespace culprit::rules {

std::string FoundThrough(const loader::LoadGraph& graph, const std::string& path) {
  for (const loader::Request& request : graph.requests) {
    if (request.object == loader::kNone || !request.loaded_now) continue;
    if (graph.objects[request.object].path != path) continue;
    const std::string origin = request.attempts.empty() ? "" : request.attempts.back().origin;
    switch (request.via) {
      case loader::Via::kLdLibraryPath:
        return "LD_LIBRARY_PATH";
      case loader::Via::kRpath:
        return "RPATH of " + origin;
      case loader::Via::kRunpath:
        return "RUNPATH of " + origin;
      case loader::Via::kCache:
        return "/etc/ld.so.cache";
      case loader::Via::kDefault:
        return "the system directories";
      case loader::Via::kLdPreload:
        return "LD_PRELOAD";
      case loader::Via::kPath:
        return "its full path";
      case loader::Via::kExeDir:
        return "the directory of the program";
      case loader::Via::kSystemDir:
      case loader::Via::kKnownDll:
      case loader::Via::kApiSet:
        return "the system directories";
      case loader::Via::kEnvironmentPath:
        return "PATH";
      case loader::Via::kAddDllDirectory:
        return "os.add_dll_directory";
      case loader::Via::kDllDir:
        return "the directory of the DLL that needs it";
      case loader::Via::kCurrentDirectory:
        return "the current directory";
      case loader::Via::kUnknown:
        return "an unknown route";
      case loader::Via::kLoadedBefore:
        break;
    }
  }
  return "an earlier request";
}

std::string CameThrough(const loader::Scenario& scenario, const loader::Object& object) {
  std::string through = FoundThrough(scenario.graph, object.path);
  for (const loader::Request& request : scenario.graph.requests) {
    const bool its = request.loaded_now && request.object < scenario.graph.objects.size() &&
                     &scenario.graph.objects[request.object] == &object;
    if (its && request.uncertain) through += " or by its full path";
  }
  if (!scenario.WasSeen() || object.requester >= scenario.graph.objects.size()) return through;
  const bool needed = object.opened_by == loader::OpenedBy::kNeeded;
  return through + (needed ? ", needed by " : ", opened by ") + scenario.graph.objects[object.requester].path;
}

namespace {

report::Fix WithoutPathElement(const Scene& scene, const std::string& directory) {
  std::string rest;
  for (const std::string& element : base::SplitWindowsPath(scene.Variable("PATH"))) {
    if (base::SameName(element, directory)) continue;
    rest += (rest.empty() ? "" : ";") + base::ToWindowsPath(element);
  }
  return {.text = "remove " + directory + " from PATH, or move it behind the directory of the other files; " +
                  "the command changes this window, the Windows settings change all new ones",
          .commands = {"set \"PATH=" + InQuotes(rest) + "\""},
          .risk = report::Risk::kLow,
          .changes = {report::DropFromList{"PATH", base::ToWindowsPath(directory)}}};
}

}  // namespace

report::Fix WithoutSearchDirectory(const Scene& scene, const std::string& directory) {
  if (scene.OnWindows()) return WithoutPathElement(scene, directory);
  const std::string name = "LD_LIBRARY_PATH";
  const std::string rest = WithoutEntries(scene.Variable(name), ":;", [&](const std::string& entry) {
    return base::CleanPath(entry) == base::CleanPath(directory) || entry == directory + "/";
  });
  if (rest.empty()) {
    return SetOrUnset(scene, name, "",
                      "unset LD_LIBRARY_PATH: it makes the loader prefer " + directory +
                          "; do not add more directories to it");
  }
  report::Fix fix = SetOrUnset(scene, name, rest, "remove " + directory + " from LD_LIBRARY_PATH");
  fix.changes = {report::DropFromList{name, directory}};
  return fix;
}

bool IsOfCudnn(const std::string& path) {
  const knowledge::Library* library = knowledge::FindLibrary(base::BaseName(path));
  return library != nullptr && library->family == "cudnn";
}

bool HoldsGpuCode(const Scene& scene, const loader::Scenario& scenario) {
  return std::ranges::any_of(scenario.graph.objects, [&](const loader::Object& object) {
    if (LibraryOf(object) != nullptr) return false;
    const auto code = scene.view.GpuCode(object.path);
    return code && !code->containers.empty();
  });
}

}  // namespace culprit::rules

// Kind, interpreter, version and sys.path of an environment on Windows.
#include <algorithm>
#include <optional>

#include "base/text.h"
#include "base/version.h"
#include "base/windows/path.h"
#include "collect/live_file_view.h"
#include "collect/windows/places.h"
#include "collect/windows/python.h"
#include "knowledge/windows.h"

namespace culprit::collect {
namespace {

using base::JoinPath;
using snapshot::PythonEnvironment;

constexpr uint64_t kPathFileLimit = uint64_t{64} << 10;

// python311._pth beside python.exe takes the place of everything else that makes sys.path.
std::string FindPathFile(const Surroundings& around, const std::string& prefix) {
  const auto entries = around.system.List(prefix);
  if (!entries) return "";
  for (const auto& entry : *entries) {
    const std::string folded = base::FoldCase(entry.name);
    if (folded.starts_with("python") && folded.ends_with("._pth")) return JoinPath(prefix, entry.name);
  }
  return "";
}

// From the DLL beside the interpreter, or the interpreter's own version resource.
void ReadInterpreter(const Surroundings& around, PythonEnvironment& environment) {
  if (environment.interpreter.empty()) return;
  LiveFileView view(around.system);
  const snapshot::FileFacts& file = view.Open(environment.interpreter);
  if (file.pe != nullptr && file.pe->bits != 0) environment.bits = file.pe->bits;
  if (!environment.python.empty()) return;
  if (const auto items = view.List(std::string(base::DirName(environment.interpreter)))) {
    for (const auto& item : *items) {
      if (environment.python.empty()) environment.python = knowledge::PythonOfDll(item.name);
    }
  }
  if (environment.python.empty() && file.pe != nullptr && file.pe->version)
    environment.python = ShortVersion(file.pe->version->product_version);
}

// "Python311", and "Python311-32" of a 32-bit Python.
std::string Tag(const PythonEnvironment& environment) {
  std::string tag = "Python";
  for (const char c : environment.python) {
    if (c != '.') tag += c;
  }
  return tag + (environment.bits == 32 ? "-32" : "");
}

std::string UserSite(const Surroundings& around, const PythonEnvironment& environment) {
  if (!base::ValueOf(around.environment, "PYTHONNOUSERSITE").empty()) return "";
  std::string base = DirectoryVariable(around, "PYTHONUSERBASE");
  if (base.empty()) {
    const std::string roaming = DirectoryVariable(around, "APPDATA");
    if (!roaming.empty()) base = JoinPath(roaming, "Python");
  }
  return base.empty() ? "" : JoinPath(base, Tag(environment) + "/site-packages");
}

// Of each line that is a path: relative to the file. "import site" brings Lib\site-packages back; any other
// import is not followed.
void AddPathFile(const Surroundings& around, const std::string& path_file, PythonEnvironment& environment,
                 SysPath& path) {
  const auto text = system::ReadWholeFile(around.system, path_file, kPathFileLimit);
  if (!text) {
    environment.problems.push_back(path_file + " cannot be read");
    return;
  }
  const std::string directory(base::DirName(path_file));
  bool site = false;
  for (const std::string& raw : base::Split(*text, '\n')) {
    const std::string_view line = base::Trim(std::string_view(raw).substr(0, raw.find('#')));
    if (line.empty()) continue;
    if (line.starts_with("import ")) {
      site |= base::Trim(line.substr(7)) == "site";
    } else if (line != ".") {  // the directory of python.exe itself holds no packages
      path.Add(base::FromWindowsPath(line, directory));
    }
  }
  if (site) path.AddSite(JoinPath(environment.prefix, "Lib/site-packages"));
}

// The package of the Store is named ...Python.3.11_qbz5n2kfra8p0; its files lie in Program Files\WindowsApps,
// which users mostly may not list.
void DescribeStore(const Surroundings& around, PythonEnvironment& environment) {
  const std::string name(base::BaseName(environment.prefix));
  const std::string rest = name.substr(std::string_view("PythonSoftwareFoundation.Python.").size());
  environment.python = ShortVersion(rest.substr(0, rest.find('_')));
  if (environment.bits == 0) environment.bits = 64;  // the Store has no other since 3.8
  SysPath path(around, environment);
  path.AddSite(
      JoinPath(environment.prefix, "LocalCache/local-packages/" + Tag(environment) + "/site-packages"));
  if (environment.interpreter.empty()) {
    const std::string local(base::DirName(base::DirName(environment.prefix)));
    const std::string alias = JoinPath(local, "Microsoft/WindowsApps/python" + environment.python + ".exe");
    if (around.system.LinkStat(alias)) environment.interpreter = alias;
  }
}

}  // namespace

std::string WindowsInterpreterOf(const Surroundings& around, const std::string& prefix) {
  for (const char* name : {"Scripts/python.exe", "python.exe"}) {
    std::string path = JoinPath(prefix, name);
    const auto status = around.system.Stat(path);
    if (status && status->type == system::FileType::kRegular) return path;
  }
  return "";
}

PythonEnvironment DescribeWindowsPlace(const Surroundings& around, const Place& place) {
  PythonEnvironment environment{.prefix = place.prefix, .why = place.why, .interpreter = place.interpreter};
  if (base::FoldCase(base::BaseName(place.prefix)).starts_with(base::FoldCase(kStorePackage))) {
    environment.kind = snapshot::EnvironmentKind::kStore;
    DescribeStore(around, environment);
    return environment;
  }
  const auto venv = ReadVenvConfig(around, place.prefix);
  const bool conda = around.system.Stat(JoinPath(place.prefix, "conda-meta")).has_value();
  if (!venv && !conda && !IsWindowsEnvironment(around.system, place.prefix) &&
      HoldsPackages(around, place.prefix)) {
    environment.kind = place.prefix.ends_with(".whl") ? snapshot::EnvironmentKind::kWheel
                                                      : snapshot::EnvironmentKind::kDirectory;
    environment.site_packages.push_back(place.prefix);
    return environment;
  }
  if (environment.interpreter.empty()) environment.interpreter = WindowsInterpreterOf(around, place.prefix);
  const std::string path_file = venv || conda ? "" : FindPathFile(around, place.prefix);
  environment.kind = venv                 ? snapshot::EnvironmentKind::kVenv
                     : conda              ? snapshot::EnvironmentKind::kConda
                     : !path_file.empty() ? snapshot::EnvironmentKind::kEmbedded
                                          : snapshot::EnvironmentKind::kSystem;
  if (venv) environment.python = ShortVersion(venv->version);
  ReadInterpreter(around, environment);

  if (venv && !venv->home.empty()) {
    const std::string base = JoinPath(base::FromWindowsPath(venv->home), "python.exe");
    if (around.system.Stat(base)) environment.process = base;
  }

  SysPath path(around, environment);
  if (!path_file.empty()) {
    AddPathFile(around, path_file, environment, path);
    return environment;
  }
  for (const std::string& element :
       PathElements(base::ValueOf(around.environment, "PYTHONPATH"), around.working_directory))
    path.AddFirst(element, "PYTHONPATH");
  if (environment.python.empty())
    environment.problems.push_back("the Python version in " + place.prefix + " is not known");
  const std::string user = environment.python.empty() ? "" : UserSite(around, environment);
  const bool with_user = !venv || venv->system_site;
  if (venv) path.AddSite(JoinPath(place.prefix, "Lib/site-packages"));
  if (with_user && !user.empty()) path.AddSite(user);
  if (!venv) path.AddSite(JoinPath(place.prefix, "Lib/site-packages"));
  if (venv && venv->system_site && !venv->home.empty())
    path.AddSite(JoinPath(base::FromWindowsPath(venv->home), "Lib/site-packages"));
  return environment;
}

}  // namespace culprit::collect

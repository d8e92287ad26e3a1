#include "collect/python/environments.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "base/windows/path.h"

namespace culprit::collect {
namespace {

using base::JoinPath;
using base::Trim;
using snapshot::PythonEnvironment;
using system::FileType;

constexpr uint64_t kSmallFile = uint64_t{64} << 10;

}  // namespace

std::optional<VenvConfig> ReadVenvConfig(const Surroundings& around, const std::string& prefix) {
  const auto text = system::ReadWholeFile(around.system, JoinPath(prefix, "pyvenv.cfg"), kSmallFile);
  if (!text) return std::nullopt;
  VenvConfig config;
  for (const std::string& line : base::Split(*text, '\n')) {
    const size_t equals = line.find('=');
    if (equals == std::string::npos) continue;
    const std::string_view key = Trim(std::string_view(line).substr(0, equals));
    const std::string_view value = Trim(std::string_view(line).substr(equals + 1));
    if (key == "home") config.home = value;
    if (key == "version" || key == "version_info") config.version = value;
    if (key == "include-system-site-packages") config.system_site = value == "true" || value == "True";
  }
  return config;
}

std::string ShortVersion(std::string_view text) {
  const auto parts = base::Split(text, '.');
  if (parts.size() < 2 || parts[0] != "3" || parts[1].empty()) return "";
  if (parts[1].find_first_not_of("0123456789") != std::string::npos) return "";
  return "3." + parts[1];
}

namespace {

// "python3.14t" is the free-threaded Python 3.14.
std::string VersionOfName(std::string_view name) {
  if (name.ends_with('t')) name.remove_suffix(1);
  return name.starts_with("python3.") ? ShortVersion(name.substr(6)) : "";
}

// From the interpreter's real name, or from the only lib/python3.X of the prefix.
std::string FindVersion(const Surroundings& around, const PythonEnvironment& environment) {
  if (!environment.interpreter.empty()) {
    if (const auto real = around.system.RealPath(environment.interpreter)) {
      if (std::string version = VersionOfName(base::BaseName(*real)); !version.empty()) return version;
    }
  }
  std::string found;
  for (const std::string_view lib : {"lib", "lib64"}) {
    const auto entries = around.system.List(JoinPath(environment.prefix, lib));
    if (!entries) continue;
    for (const auto& entry : *entries) {
      const std::string version = VersionOfName(entry.name);
      if (version.empty() || version == found) continue;
      if (!found.empty()) return "";  // several, and nothing says which
      found = version;
    }
  }
  return found;
}

// Python runs a line of a .pth file that starts with "import". The directory that such a line puts first on
// sys.path, where it says so plainly: "import sys; sys.path.insert(0, '/opt/x')". "" otherwise.
std::string InsertedFirst(std::string_view line) {
  constexpr std::string_view kCall = "sys.path.insert(0,";
  const size_t call = line.find(kCall);
  if (call == std::string_view::npos) return "";
  const std::string_view argument = Trim(line.substr(call + kCall.size()));
  if (argument.empty() || (argument.front() != '\'' && argument.front() != '"')) return "";
  const std::string_view text = argument.substr(1, argument.find(argument.front(), 1) - 1);
  return text.starts_with('/') ? base::CleanPath(text) : "";
}

}  // namespace

bool SysPath::Add(const std::string& directory) {
  const auto status = around_.system.Stat(directory);
  if (!status || status->type != FileType::kDirectory) return false;
  if (!seen_.insert(around_.system.RealPath(directory).value_or(directory)).second) return false;
  environment_.site_packages.push_back(directory);
  return true;
}

void SysPath::AddFirst(const std::string& directory, const std::string& source) {
  const size_t place = environment_.searched_first.size();
  if (!Add(directory)) return;
  auto& all = environment_.site_packages;
  std::rotate(all.begin() + static_cast<ptrdiff_t>(place), all.end() - 1, all.end());
  environment_.searched_first.push_back({directory, source});
}

void SysPath::AddSite(const std::string& directory) {
  if (!Add(directory)) return;
  const auto entries = around_.system.List(directory);
  if (!entries) {
    environment_.problems.push_back(directory + " cannot be listed");
    return;
  }
  for (const auto& entry : *entries) {
    if (!entry.name.ends_with(".pth") || entry.name.starts_with('.')) continue;
    const auto text = system::ReadWholeFile(around_.system, JoinPath(directory, entry.name), kSmallFile);
    if (!text) continue;
    for (const std::string& line : base::Split(*text, '\n')) {
      const std::string_view path = Trim(line);
      if (path.empty() || path.starts_with('#')) continue;
      if (path.starts_with("import ") || path.starts_with("import\t")) {
        if (const std::string first = InsertedFirst(path); !first.empty())
          AddFirst(first, JoinPath(directory, entry.name));
        continue;
      }
      Add(around_.system.platform() == base::Platform::kWindows ? base::FromWindowsPath(path, directory)
                                                                : JoinPath(directory, path));
    }
  }
}

namespace {

// The directories of a prefix: Debian's Python has dist-packages, of which /usr/local's come first.
void AddPrefix(const system::System& system, const std::string& prefix, const std::string& python,
               SysPath& path) {
  const std::string versioned = "python" + python;
  if (prefix == "/usr") {
    for (const std::string_view lib : {"lib64", "lib"}) {
      path.AddSite("/usr/local/" + std::string(lib) + "/" + versioned + "/site-packages");
    }
    path.AddSite("/usr/local/lib/" + versioned + "/dist-packages");
    path.AddSite("/usr/lib/python3/dist-packages");
    path.AddSite("/usr/lib/" + versioned + "/dist-packages");
  }
  // lib64 is a directory of its own on Fedora and its kin; in a venv it is a link to lib.
  const std::string lib64 = JoinPath(prefix, "lib64");
  if (system.RealPath(lib64).value_or("") != system.RealPath(JoinPath(prefix, "lib")).value_or("")) {
    path.AddSite(JoinPath(lib64, versioned + "/site-packages"));
  }
  path.AddSite(JoinPath(prefix, "lib/" + versioned + "/site-packages"));
  path.AddSite(JoinPath(prefix, "lib/" + versioned + "t/site-packages"));  // free-threaded
}

// <userbase>/lib/python3.X/site-packages; "" where it is turned off or nothing says whose home it is.
std::string UserSite(const Surroundings& around, const std::string& python) {
  if (!base::ValueOf(around.environment, "PYTHONNOUSERSITE").empty()) return "";
  std::string base = base::ValueOf(around.environment, "PYTHONUSERBASE");
  if (base.empty() && base::ValueOf(around.environment, "HOME").starts_with('/'))
    base = JoinPath(base::ValueOf(around.environment, "HOME"), ".local");
  return base.starts_with('/') ? JoinPath(base, "lib/python" + python + "/site-packages") : "";
}

// The prefix of the Python that a venv was made from.
std::string BasePrefix(const Surroundings& around, const VenvConfig& config, const std::string& python) {
  const std::string interpreter = JoinPath(config.home, "python" + python);
  const auto real = around.system.RealPath(interpreter);
  return std::string(base::DirName(base::DirName(real ? *real : interpreter)));
}

void FindInterpreter(const Surroundings& around, PythonEnvironment& environment) {
  for (const char* name : {"bin/python3", "bin/python"}) {
    const std::string path = JoinPath(environment.prefix, name);
    if (!around.system.LinkStat(path)) continue;
    if (around.system.Stat(path)) {
      environment.interpreter = path;
      return;
    }
    environment.problems.push_back(path + " is a dangling symlink: the Python it was created from is gone");
  }
}

}  // namespace

PythonEnvironment DescribePlace(const Surroundings& around, const Place& place) {
  PythonEnvironment environment{.prefix = place.prefix, .why = place.why, .interpreter = place.interpreter};
  const auto venv = ReadVenvConfig(around, place.prefix);
  const bool conda = around.system.Stat(JoinPath(place.prefix, "conda-meta")).has_value();
  environment.kind = venv    ? snapshot::EnvironmentKind::kVenv
                     : conda ? snapshot::EnvironmentKind::kConda
                             : snapshot::EnvironmentKind::kSystem;
  if (!venv && !conda && HoldsPackages(around, place.prefix)) {
    environment.kind = place.prefix.ends_with(".whl") ? snapshot::EnvironmentKind::kWheel
                                                      : snapshot::EnvironmentKind::kDirectory;
    environment.site_packages.push_back(place.prefix);
    return environment;
  }
  if (environment.interpreter.empty()) FindInterpreter(around, environment);
  if (venv) environment.python = ShortVersion(venv->version);
  if (environment.python.empty()) environment.python = FindVersion(around, environment);

  SysPath path(around, environment);
  for (const std::string& element : base::SplitWords(base::ValueOf(around.environment, "PYTHONPATH"), ":")) {
    if (element.starts_with('/')) path.AddFirst(element, "PYTHONPATH");
  }
  if (environment.python.empty()) {
    environment.problems.push_back("the Python version in " + place.prefix + " is not known");
    return environment;
  }
  const std::string user = UserSite(around, environment.python);
  if (venv) {
    AddPrefix(around.system, place.prefix, environment.python, path);
    if (venv->system_site) {
      if (!user.empty()) path.AddSite(user);
      AddPrefix(around.system, BasePrefix(around, *venv, environment.python), environment.python, path);
    }
  } else {
    if (!user.empty()) path.AddSite(user);
    AddPrefix(around.system, place.prefix, environment.python, path);
  }
  return environment;
}

}  // namespace culprit::collect

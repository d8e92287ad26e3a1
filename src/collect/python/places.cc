// Which environments are looked at.
#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"
#include "collect/python/environments.h"

namespace culprit::collect {
namespace {

using base::DirName;
using base::JoinPath;
using system::FileType;

constexpr std::string_view kUsualPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

bool IsFile(const Surroundings& around, const std::string& path) {
  const auto status = around.system.Stat(path);
  return status && status->type == FileType::kRegular;
}

bool IsDirectory(const Surroundings& around, const std::string& path) {
  const auto status = around.system.Stat(path);
  return status && status->type == FileType::kDirectory;
}

// A directory with an interpreter or with the marks of an environment.
bool IsEnvironment(const Surroundings& around, const std::string& prefix) {
  return IsFile(around, JoinPath(prefix, "pyvenv.cfg")) ||
         IsDirectory(around, JoinPath(prefix, "conda-meta")) ||
         around.system.LinkStat(JoinPath(prefix, "bin/python3")) ||
         around.system.LinkStat(JoinPath(prefix, "bin/python"));
}

// The prefix that an interpreter belongs to: pyvenv.cfg beside or above it as it is named; otherwise where
// its links lead.
std::optional<Place> PlaceOf(const Surroundings& around, const std::string& interpreter,
                             snapshot::EnvironmentWhy why) {
  const std::string above(DirName(DirName(interpreter)));
  if (IsFile(around, JoinPath(above, "pyvenv.cfg"))) return Place{above, interpreter, why};
  const auto real = around.system.RealPath(interpreter);
  if (!real) return std::nullopt;
  const std::string prefix(DirName(DirName(*real)));
  return Place{prefix.empty() ? "/" : prefix, interpreter, why};
}

std::string OnPath(const Surroundings& around) {
  const std::string set = base::ValueOf(around.environment, "PATH");
  for (const std::string_view name : {"python3", "python"}) {
    for (const std::string& directory :
         base::SplitWords(set.empty() ? kUsualPath : std::string_view(set), ":")) {
      if (!directory.starts_with('/')) continue;
      std::string path = JoinPath(directory, name);
      if (IsFile(around, path)) return path;
    }
  }
  return "";
}

// pyenv puts scripts on PATH, ROOT/shims/python3, which start the version that PYENV_VERSION, a
// .python-version file at or above the working directory, or ROOT/version names (pyenv's own order). "" when
// none of them tells.
std::string BehindPyenvShim(const Surroundings& around, const std::string& shim) {
  const std::string shims(DirName(shim)), root(DirName(shims));
  if (base::BaseName(shims) != "shims") return "";
  std::string chosen = base::ValueOf(around.environment, "PYENV_VERSION");
  for (std::string directory = around.working_directory; chosen.empty() && !directory.empty();
       directory = DirName(directory)) {
    chosen = system::ReadWholeFile(around.system, JoinPath(directory, ".python-version"), 4096).value_or("");
    if (directory == "/") break;
  }
  if (chosen.empty())
    chosen = system::ReadWholeFile(around.system, JoinPath(root, "version"), 4096).value_or("");
  for (const std::string& version : base::SplitWords(chosen, ": \r\n")) {
    if (version.find('/') != std::string::npos) continue;
    const std::string python = JoinPath(root, "versions/" + version + "/bin/python3");
    if (IsFile(around, python)) return python;
  }
  return "";
}

// Another launcher is a script that starts some Python: which one, only running it would tell.
bool IsScript(const Surroundings& around, const std::string& path) {
  const auto file = around.system.Open(path);
  if (!file || !file->bytes) return false;
  std::array<std::byte, 2> start{};
  const auto read = file->bytes->ReadAt(0, start);
  return read && *read == 2 && start[0] == std::byte{'#'} && start[1] == std::byte{'!'};
}

void AddActive(const Surroundings& around, std::vector<Place>& places, std::vector<std::string>& problems) {
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const std::string prefix = base::ValueOf(around.environment, name);
    if (!prefix.starts_with('/') || !places.empty()) continue;
    if (IsEnvironment(around, prefix)) {
      places.push_back({base::CleanPath(prefix), "", snapshot::EnvironmentWhy::kActive});
    } else {
      problems.push_back(std::string(name) + "=" + prefix + " is not a Python environment");
    }
  }
  std::string python = OnPath(around);
  if (python.empty()) return;
  if (const std::string behind = BehindPyenvShim(around, python); !behind.empty()) python = behind;
  if (IsScript(around, python)) {
    problems.push_back(python +
                       " is a script, and culprit cannot tell which Python it starts without running it");
    return;
  }
  if (auto place = PlaceOf(around, python, snapshot::EnvironmentWhy::kActive))
    places.push_back(*std::move(place));
}

void AddBelow(const Surroundings& around, const std::string& directory, std::string_view tail,
              std::vector<std::string>& prefixes) {
  constexpr size_t kMost = 1024;
  const auto entries = around.system.List(directory);
  if (!entries) return;
  if (entries->size() > kMost) around.system.NoteUnread(directory, base::Unread::kTooMuch);
  for (size_t i = 0; i < std::min(kMost, entries->size()); ++i) {
    if ((*entries)[i].type == FileType::kRegular) continue;
    prefixes.push_back(JoinPath(JoinPath(directory, (*entries)[i].name), tail));
  }
}

std::vector<std::string> UsualPrefixes(const Surroundings& around) {
  std::vector<std::string> prefixes;
  std::string directory = around.working_directory;
  for (int level = 0; level < 4 && directory.size() > 1; ++level, directory = DirName(directory)) {
    for (const std::string_view name : {".venv", "venv", "env"})
      prefixes.push_back(JoinPath(directory, name));
  }
  for (const char* prefix : {"/opt/venv", "/venv", "/app/.venv", "/workspace/.venv"})
    prefixes.emplace_back(prefix);
  AddBelow(around, "/opt", ".venv", prefixes);
  const std::string home = base::ValueOf(around.environment, "HOME").starts_with('/')
                               ? base::ValueOf(around.environment, "HOME")
                               : "/root";
  for (const std::string& conda : {std::string("/opt/conda"), JoinPath(home, "miniconda3"),
                                   JoinPath(home, "anaconda3"), JoinPath(home, "miniforge3")}) {
    if (!IsDirectory(around, conda)) continue;
    prefixes.push_back(conda);
    AddBelow(around, JoinPath(conda, "envs"), "", prefixes);
  }
  prefixes.emplace_back("/usr/local");
  prefixes.emplace_back("/usr");
  return prefixes;
}

}  // namespace

bool HoldsPackages(const Surroundings& around, const std::string& directory) {
  const auto entries = around.system.List(directory);
  return entries && std::ranges::any_of(*entries, [](const system::DirectoryEntry& entry) {
           return entry.name.ends_with(".dist-info");
         });
}

std::vector<Place> EachOnce(const system::System& system, std::vector<Place> places) {
  std::vector<Place> once;
  std::vector<std::string> seen;
  for (Place& place : places) {
    std::string real = system.RealPath(place.prefix).value_or(place.prefix);
    if (std::ranges::find(seen, real) != seen.end()) continue;
    seen.push_back(std::move(real));
    once.push_back(std::move(place));
  }
  return once;
}

std::vector<Place> FindPlaces(const Surroundings& around, std::vector<std::string>& problems) {
  std::vector<Place> places, packages;
  for (const std::string& prefix : around.environments) {
    if (IsEnvironment(around, prefix)) {
      places.push_back({base::CleanPath(prefix), "", snapshot::EnvironmentWhy::kGiven});
    } else if (HoldsPackages(around, prefix)) {
      packages.push_back({base::CleanPath(prefix), "", snapshot::EnvironmentWhy::kGiven});
    } else {
      problems.push_back(prefix + " is not a Python environment");
    }
  }
  places.insert(places.end(), packages.begin(), packages.end());
  if (!around.python.empty()) {
    auto place = PlaceOf(around, around.python, snapshot::EnvironmentWhy::kGiven);
    if (place && IsFile(around, around.python)) {
      places.push_back(*std::move(place));
    } else {
      problems.push_back(around.python + " is not a readable Python interpreter");
    }
  }
  if (around.environments.empty() && around.python.empty()) {
    AddActive(around, places, problems);
    for (const std::string& prefix : UsualPrefixes(around)) {
      if (IsEnvironment(around, prefix))
        places.push_back({base::CleanPath(prefix), "", snapshot::EnvironmentWhy::kFound});
    }
  }
  return EachOnce(around.system, std::move(places));
}

}  // namespace culprit::collect

// Which environments of a Windows machine are looked at.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/windows/path.h"
#include "collect/windows/places.h"
#include "collect/windows/python.h"
#include "collect/windows/stack.h"

namespace culprit::collect {
namespace {

using base::DirName;
using base::JoinPath;
using system::FileType;
using system::System;

constexpr size_t kMost = 64;  // entries of one directory

// Environments can lie anywhere, so these are patterns of what is read of one.
constexpr std::array<std::string_view, 36> kWindowsPythonPlacesReads = {
    "HKLM/SOFTWARE/Python/*/*/InstallPath",
    "HKLM/SOFTWARE/WOW6432Node/Python/*/*/InstallPath",
    "HKCU/SOFTWARE/Python/*/*/InstallPath",
    "$PATH/python.exe",
    "$PATH/python3.exe",
    // what makes a directory an environment; the usual places are many
    "/**/python.exe",
    "/**/python3.exe",
    "/**/python3*.dll",
    "/**/python3*._pth",
    "/**/pyvenv.cfg",
    "/**/conda-meta",
    "/**/conda-meta/*",
    "/**/Lib",
    "/**/Lib/site-packages",
    "$prefix",
    "$prefix/Scripts",
    "/C:/*",
    "/C:/Users/*",
    "/C:/Program Files/WindowsApps",
    "/C:/Program Files/Python3*",
    "/C:/ProgramData/*3/envs",
    "/C:/ProgramData/mambaforge/envs",
    "/C:/tools/*3/envs",
    "/C:/tools/mambaforge/envs",
    "/C:/Users/*/*3/envs",
    "/C:/Users/*/mambaforge/envs",
    "/C:/Users/*/.conda/envs/*",
    "$LOCALAPPDATA/Programs/Python/*",
    "$LOCALAPPDATA/Packages",
    "/C:/Users/*/AppData/Local/Programs/Python/*",
    "/C:/Users/*/AppData/Local/Packages",
    "/**/Microsoft/WindowsApps/python3*.exe",
    "/**/LocalCache/local-packages/Python3*/site-packages",
    "/**/AppData/Roaming/Python/Python3*/site-packages",
    "$PYTHONPATH",
    "$site/**",
};

bool IsFile(const System& system, const std::string& path) {
  const auto status = system.Stat(path);
  return status && status->type == FileType::kRegular;
}

bool IsDirectory(const System& system, const std::string& path) {
  const auto status = system.Stat(path);
  return status && status->type == FileType::kDirectory;
}

// Directories right below one that begin so, whatever the case.
std::vector<std::string> Below(const System& system, const std::string& directory, std::string_view start) {
  std::vector<std::string> found;
  const auto entries = system.List(directory);
  if (!entries) return found;
  for (const auto& entry : *entries) {
    if (entry.type == FileType::kRegular || found.size() == kMost) continue;
    if (base::FoldCase(entry.name).starts_with(base::FoldCase(start)))
      found.push_back(JoinPath(directory, entry.name));
  }
  return found;
}

// An alias of the Store is a link without contents that starts Python, or the Store where there is none.
bool IsStoreAlias(const System& system, const std::string& interpreter) {
  if (base::FoldCase(interpreter).find("/microsoft/windowsapps/") == std::string::npos) return false;
  const auto status = system.Stat(interpreter);
  return !status || status->size == 0 || status->type != FileType::kRegular;
}

std::vector<std::string> LocalData(const Surroundings& around) {
  if (const std::string local = DirectoryVariable(around, "LOCALAPPDATA"); !local.empty()) return {local};
  std::vector<std::string> found;
  for (const std::string& home : UserDirectories(around)) found.push_back(JoinPath(home, "AppData/Local"));
  return found;
}

// The newest last, as their names sort; a shell starts the one that was installed last, which nothing tells.
std::vector<std::string> StorePackages(const Surroundings& around) {
  std::vector<std::string> packages;
  for (const std::string& local : LocalData(around)) {
    for (std::string& package : Below(around.system, JoinPath(local, "Packages"), kStorePackage))
      packages.push_back(std::move(package));
  }
  return packages;
}

// The prefix that an interpreter belongs to.
std::string PrefixOf(const System& system, const std::string& interpreter) {
  const std::string directory(DirName(interpreter)), above(DirName(directory));
  const bool venv =
      base::SameName(base::BaseName(directory), "Scripts") && IsFile(system, JoinPath(above, "pyvenv.cfg"));
  return venv ? above : directory;
}

void AddActiveOnWindows(const Surroundings& around, std::vector<Place>& places,
                        std::vector<std::string>& problems) {
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const std::string prefix = DirectoryVariable(around, name);
    if (prefix.empty() || !places.empty()) continue;
    if (IsWindowsEnvironment(around.system, prefix)) {
      places.push_back({prefix, "", snapshot::EnvironmentWhy::kActive});
    } else {
      problems.push_back(std::string(name) + "=" + prefix + " is not a Python environment");
    }
  }
  for (const char* name : {"python.exe", "python3.exe"}) {
    for (const std::string& element :
         PathElements(base::ValueOf(around.environment, "PATH"), around.working_directory)) {
      const std::string python = JoinPath(element, name);
      if (!around.system.LinkStat(python)) continue;
      if (!IsStoreAlias(around.system, python)) {
        if (!IsFile(around.system, python)) continue;
        places.push_back({PrefixOf(around.system, python), python, snapshot::EnvironmentWhy::kActive});
        return;
      }
      const auto packages = StorePackages(around);
      if (packages.empty()) {
        problems.push_back(python +
                           " only opens the Microsoft Store: Python from the Store is not installed");
        continue;
      }
      places.push_back({packages.back(), python, snapshot::EnvironmentWhy::kActive});
      return;
    }
  }
}

// HKLM\SOFTWARE\Python\<company>\<tag>\InstallPath (PEP 514).
void AddRegistered(const System& system, std::vector<std::string>& prefixes) {
  for (const std::string root :
       {"HKCU/SOFTWARE/Python", "HKLM/SOFTWARE/Python", "HKLM/SOFTWARE/WOW6432Node/Python"}) {
    const auto companies = system.ReadRegistry(root);
    if (!companies) continue;
    for (const std::string& company : companies->keys) {
      const auto tags = system.ReadRegistry(root + "/" + company);
      if (!tags || base::SameName(company, "PyLauncher")) continue;
      for (size_t i = 0; i < std::min(kMost, tags->keys.size()); ++i) {
        const std::string path =
            RegistryText(system, root + "/" + company + "/" + tags->keys[i] + "/InstallPath", "");
        if (!path.empty()) prefixes.push_back(base::FromWindowsPath(path));
      }
    }
  }
}

void AddCondas(const System& system, const std::string& directory, std::vector<std::string>& prefixes) {
  for (const char* name : {"miniconda3", "anaconda3", "miniforge3", "mambaforge"}) {
    const std::string conda = JoinPath(directory, name);
    if (!IsDirectory(system, conda)) continue;
    prefixes.push_back(conda);
    for (std::string& prefix : Below(system, JoinPath(conda, "envs"), ""))
      prefixes.push_back(std::move(prefix));
  }
}

std::vector<std::string> UsualWindowsPrefixes(const Surroundings& around) {
  const System& system = around.system;
  std::vector<std::string> prefixes;
  const auto add = [&](std::vector<std::string> found) {
    std::ranges::move(found, std::back_inserter(prefixes));
  };
  std::string directory = around.working_directory;
  for (int level = 0; level < 4 && directory.size() > 1; ++level, directory = DirName(directory)) {
    for (const char* name : {".venv", "venv", "env"}) prefixes.push_back(JoinPath(directory, name));
  }
  AddRegistered(system, prefixes);
  for (const std::string& local : LocalData(around))
    add(Below(system, JoinPath(local, "Programs/Python"), "Python3"));
  add(Below(system, ProgramFiles(around.environment), "Python3"));
  add(StorePackages(around));
  AddCondas(system, "/C:", prefixes);
  AddCondas(system, "/C:/ProgramData", prefixes);
  AddCondas(system, "/C:/tools", prefixes);
  for (const std::string& home : UserDirectories(around)) {
    AddCondas(system, home, prefixes);
    add(Below(system, JoinPath(home, ".conda/envs"), ""));
  }
  // A tree that somebody copied may be an environment, or hold some, without any of the usual names.
  if (around.host_unseen) prefixes.emplace_back("/C:");
  add(Below(system, "/C:", around.host_unseen ? "" : "Python3"));
  return prefixes;
}

bool IsStorePrefix(const std::string& prefix) {
  return base::FoldCase(base::BaseName(prefix)).starts_with(base::FoldCase(kStorePackage));
}

}  // namespace

const CollectorInfo kWindowsPythonCollector = {"python", kWindowsPythonPlacesReads};

bool IsWindowsEnvironment(const System& system, const std::string& prefix) {
  if (IsFile(system, JoinPath(prefix, "pyvenv.cfg")) || IsDirectory(system, JoinPath(prefix, "conda-meta")))
    return true;
  return IsFile(system, JoinPath(prefix, "python.exe")) ||
         IsFile(system, JoinPath(prefix, "Scripts/python.exe")) ||
         IsDirectory(system, JoinPath(prefix, "Lib/site-packages"));
}

std::vector<Place> FindWindowsPlaces(const Surroundings& around, std::vector<std::string>& problems) {
  const System& system = around.system;
  std::vector<Place> places, packages;
  for (const std::string& prefix : around.environments) {
    if (IsWindowsEnvironment(system, prefix)) {
      places.push_back({prefix, "", snapshot::EnvironmentWhy::kGiven});
    } else if (HoldsPackages(around, prefix)) {
      packages.push_back({prefix, "", snapshot::EnvironmentWhy::kGiven});
    } else {
      problems.push_back(prefix + " is not a Python environment");
    }
  }
  places.insert(places.end(), packages.begin(), packages.end());
  if (!around.python.empty()) {
    if (IsFile(system, around.python)) {
      places.push_back({PrefixOf(system, around.python), around.python, snapshot::EnvironmentWhy::kGiven});
    } else {
      problems.push_back(around.python + " is not a readable Python interpreter");
    }
  }
  if (around.environments.empty() && around.python.empty()) {
    AddActiveOnWindows(around, places, problems);
    for (const std::string& prefix : UsualWindowsPrefixes(around)) {
      const bool environment = IsWindowsEnvironment(system, prefix) || IsStorePrefix(prefix);
      if (environment || (around.host_unseen && HoldsPackages(around, prefix)))
        places.push_back({prefix, "", snapshot::EnvironmentWhy::kFound});
    }
  }
  return EachOnce(system, std::move(places));
}

snapshot::Fact<std::vector<snapshot::PythonEnvironment>> CollectWindowsPython(const Surroundings& around) {
  return CollectEnvironments(around, {FindWindowsPlaces, DescribeWindowsPlace});
}

}  // namespace culprit::collect

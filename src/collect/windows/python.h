// Python environments of a Windows machine: where they are, and what the Python of each would search for
// modules. Decided from files, variables and the registry as getpath.py and site.py of CPython 3.8 to 3.14
// decide it there, with what the Microsoft Store's Python changes (sandboxed user site, aliases without
// contents); nothing is executed.
#pragma once

#include <string>
#include <vector>

#include "collect/python/environments.h"

namespace culprit::collect {

// The directory with python.exe of a prefix: "Scripts" in a venv, the prefix itself everywhere else.
std::string WindowsInterpreterOf(const Surroundings& around, const std::string& prefix);
// Whether it has the marks of an environment.
bool IsWindowsEnvironment(const system::System& system, const std::string& prefix);

std::vector<Place> FindWindowsPlaces(const Surroundings& around, std::vector<std::string>& problems);
snapshot::PythonEnvironment DescribeWindowsPlace(const Surroundings& around, const Place& place);

// The Store keeps what pip installs in <LOCALAPPDATA>\Packages\<this>.Python.3.11_qbz5n2kfra8p0.
inline constexpr std::string_view kStorePackage = "PythonSoftwareFoundation.Python.3.";

}  // namespace culprit::collect

// pip runs isolated (-I): `python -m pip` alone would run ./pip/__main__.py of the directory in which the
// user happens to be, or one of PYTHONPATH. A virtual environment needs neither variables of Python nor the
// user's site-packages. Its settings are the user's own, so they are followed, and named in the plan.
#include <unistd.h>

#include "base/text.h"
#include "change/apply/installer.h"

namespace culprit::apply {
namespace {

std::string UvIn(const std::string& path) {
  for (const std::string& directory : base::SplitWords(path, ":")) {
    const std::string program = directory + "/uv";
    if (directory.starts_with('/') && access(program.c_str(), X_OK) == 0) return program;
  }
  return "";
}

std::string ConfigHome(const Place& place) {
  const std::string named = base::ValueOf(place.variables, "XDG_CONFIG_HOME");
  return named.empty() ? base::ValueOf(place.variables, "HOME") + "/.config" : named;
}

std::vector<std::string> Settings(const Place& place, std::string_view prefix,
                                  const std::vector<std::string>& files) {
  std::vector<std::string> settings;
  for (const std::string& file : files) {
    if (file.starts_with('/') && access(file.c_str(), F_OK) == 0) settings.push_back(file);
  }
  for (const auto& [name, value] : place.variables) {
    if (name.starts_with(prefix) && !value.empty()) settings.push_back(name);
  }
  return settings;
}

}  // namespace

base::Result<Installer> InstallerOf(const std::string& prefix, const std::string& site, const Place& place) {
  const std::string python = prefix + "/bin/python";
  if (access(python.c_str(), X_OK) != 0)
    return base::Fail(base::ErrorCode::kUnsupported, python + " is missing or not executable");
  if (access((site + "/pip").c_str(), F_OK) == 0) {
    return Installer{{python, "-I", "-B", "-m", "pip", "--disable-pip-version-check", "install", "--no-deps",
                      "--no-input", "--no-compile", "--no-warn-conflicts"},
                     Settings(place, "PIP_",
                              {"/etc/pip.conf", "/etc/xdg/pip/pip.conf",
                               base::ValueOf(place.variables, "HOME") + "/.pip/pip.conf",
                               ConfigHome(place) + "/pip/pip.conf", prefix + "/pip.conf",
                               base::ValueOf(place.variables, "PIP_CONFIG_FILE")})};
  }
  const std::string uv = UvIn(base::ValueOf(place.variables, "PATH"));
  if (uv.empty())
    return base::Fail(base::ErrorCode::kUnsupported, "there is no pip in " + prefix + " and no uv on PATH");
  return Installer{{uv, "pip", "install", "--python", python, "--no-deps"},
                   Settings(place, "UV_", {"/etc/uv/uv.toml", ConfigHome(place) + "/uv/uv.toml"})};
}

}  // namespace culprit::apply

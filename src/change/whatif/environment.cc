#include "change/whatif/environment.h"

#include <algorithm>
#include <cctype>

#include "base/json.h"
#include "base/python/pep508.h"
#include "base/text.h"
#include "base/windows/path.h"
#include "binfmt/elf/constants.h"
#include "change/whatif/claims.h"

namespace culprit::whatif {
namespace {

using base::JoinPath;
using system::System;

constexpr uint64_t kPackageTextLimit = uint64_t{4} << 20;
constexpr uint64_t kRecordLimit = uint64_t{64} << 20;
constexpr std::string_view kDistInfo = ".dist-info";

bool IsDirectory(const System& machine, const std::string& path) {
  const auto status = machine.Stat(path);
  return status && status->type == system::FileType::kDirectory;
}

// "3.11" of "3.11.2".
std::string Short(std::string_view version) {
  const auto parts = base::Split(version, '.');
  return parts.size() < 2 ? "" : parts[0] + "." + parts[1];
}

std::string VersionOfConfig(const System& machine, const std::string& prefix) {
  const auto text = system::ReadWholeFile(machine, JoinPath(prefix, "pyvenv.cfg"), kPackageTextLimit);
  if (!text) return "";
  for (const std::string& line : base::Split(*text, '\n')) {
    const size_t equals = line.find('=');
    if (equals == line.npos) continue;
    const std::string_view key = base::Trim(std::string_view(line).substr(0, equals));
    if (key == "version" || key == "version_info")
      return Short(base::Trim(std::string_view(line).substr(equals + 1)));
  }
  return "";
}

// Of python311.dll beside the interpreter.
std::string VersionOfDll(const System& machine, const std::string& prefix) {
  const auto entries = machine.List(prefix);
  if (!entries) return "";
  for (const auto& entry : *entries) {
    const std::string name = base::FoldCase(entry.name);
    if (name.starts_with("python3") && name.ends_with(".dll") && name.size() > 11)
      return "3." + name.substr(7, name.size() - 11);
  }
  return "";
}

bool HoldsRecords(const System& machine, const std::string& directory) {
  const auto entries = machine.List(directory);
  return entries &&
         std::ranges::any_of(*entries, [](const auto& entry) { return entry.name.ends_with(kDistInfo); });
}

void FindPlacesLinux(const System& machine, Environment& environment) {
  std::vector<std::string> found;
  const auto look = [&](const std::string& lib, std::string_view kind) {
    const auto entries = machine.List(lib);
    if (!entries) return;
    for (const auto& entry : *entries) {
      if (!entry.name.starts_with("python3")) continue;
      const bool versioned = entry.name.starts_with("python3.");
      if (versioned && !environment.python.empty() && entry.name != "python" + environment.python) continue;
      const std::string place = JoinPath(JoinPath(lib, entry.name), kind);
      if (!IsDirectory(machine, place)) continue;
      if (versioned && environment.python.empty()) environment.python = entry.name.substr(6);
      const std::string real = machine.RealPath(place).value_or(place);
      if (std::ranges::any_of(found, [&](const auto& old) { return machine.RealPath(old) == real; }))
        continue;
      found.push_back(place);
    }
  };
  if (environment.prefix == "/usr") {
    look("/usr/local/lib", "site-packages");
    look("/usr/local/lib", "dist-packages");
  }
  for (const char* lib : {"lib", "lib64"}) {
    look(JoinPath(environment.prefix, lib), "site-packages");
    if (environment.prefix == "/usr") look(JoinPath(environment.prefix, lib), "dist-packages");
  }
  environment.places = std::move(found);
}

}  // namespace

std::string Environment::PythonTag() const {
  std::string tag;
  for (const char c : python) {
    if (c != '.') tag += c;
  }
  return tag;
}

std::string Environment::ModuleEnding() const {
  if (windows) return "cp" + PythonTag() + "-win_amd64.pyd";
  return "cpython-" + PythonTag() + "-" + cpu + "-linux-gnu.so";
}

std::string Environment::Platform() const { return (windows ? "windows-" : "linux-") + cpu; }

base::Result<Environment> FindEnvironment(const System& machine, const std::string& prefix) {
  Environment environment{.prefix = prefix};
  environment.windows = machine.platform() == base::Platform::kWindows;
  environment.cpu = !environment.windows && MachineOf(machine) == EM_AARCH64 ? "aarch64" : "x86_64";
  environment.python = VersionOfConfig(machine, prefix);
  if (environment.windows) {
    const std::string site = JoinPath(prefix, "Lib/site-packages");
    if (IsDirectory(machine, site)) environment.places = {site};
    if (environment.python.empty()) environment.python = VersionOfDll(machine, prefix);
  } else {
    FindPlacesLinux(machine, environment);
  }
  if (environment.places.empty() && HoldsRecords(machine, prefix)) environment.places = {prefix};
  if (environment.places.empty()) {
    return base::Fail(base::ErrorCode::kNotFound,
                      base::Printable(prefix) + " is not a Python environment with installed packages");
  }
  environment.site = environment.places.front();
  return environment;
}

std::vector<InstalledPackage> PackagesOf(const System& machine, const Environment& environment) {
  std::vector<InstalledPackage> packages;
  for (const std::string& place : environment.places) {
    const auto entries = machine.List(place);
    if (!entries) continue;
    for (const auto& entry : *entries) {
      std::string_view name = entry.name;
      if (!name.ends_with(kDistInfo) || name.starts_with('~')) continue;
      name.remove_suffix(kDistInfo.size());
      const size_t dash = name.rfind('-');
      if (dash == name.npos || dash == 0) continue;
      InstalledPackage package{.name = NormalName(name.substr(0, dash)),
                               .version = std::string(name.substr(dash + 1)),
                               .record = JoinPath(place, entry.name),
                               .place = place,
                               .requirements = {}};
      const auto text =
          system::ReadWholeFile(machine, JoinPath(package.record, "METADATA"), kPackageTextLimit);
      for (const std::string& line : base::Split(text.value_or(""), '\n')) {
        if (base::Trim(line).empty()) break;
        if (line.starts_with("Requires-Dist:"))
          package.requirements.emplace_back(base::Trim(std::string_view(line).substr(14)));
        if (line.starts_with("Version:")) package.version = base::Trim(std::string_view(line).substr(8));
      }
      packages.push_back(std::move(package));
    }
  }
  const std::string conda = JoinPath(environment.prefix, "conda-meta");
  if (const auto entries = machine.List(conda)) {
    for (const auto& entry : *entries) {
      if (!entry.name.ends_with(".json")) continue;
      const std::string_view name = std::string_view(entry.name).substr(0, entry.name.size() - 5);
      const size_t build = name.rfind('-');
      const size_t version = build == name.npos || build == 0 ? name.npos : name.rfind('-', build - 1);
      if (version == name.npos) continue;
      packages.push_back({.name = NormalName(name.substr(0, version)),
                          .version = std::string(name.substr(version + 1, build - version - 1)),
                          .record = JoinPath(conda, entry.name),
                          .place = environment.prefix,
                          .requirements = {}});
    }
  }
  return packages;
}

std::vector<std::string> FilesOf(const System& machine, const Environment& environment,
                                 const InstalledPackage& package) {
  std::vector<std::string> listed;
  if (package.record.ends_with(".json")) {
    const auto text = system::ReadWholeFile(machine, package.record, kRecordLimit);
    const base::Json json = base::ParseJson(text.value_or(""));
    if (json.is_object() && json.contains("files") && json["files"].is_array()) {
      for (const base::Json& file : json["files"]) {
        if (file.is_string()) listed.push_back(JoinPath(environment.prefix, file.get<std::string>()));
      }
    }
  } else if (const auto text =
                 system::ReadWholeFile(machine, JoinPath(package.record, "RECORD"), kRecordLimit)) {
    for (const std::string& line : base::Split(*text, '\n')) {
      const std::string path = line.substr(0, line.find(','));
      if (!path.empty() && path.front() != '"') listed.push_back(JoinPath(package.place, path));
    }
  }
  return listed;
}

Need ParseNeed(std::string_view text) {
  Need need;
  const size_t semicolon = text.find(';');
  if (semicolon != text.npos) need.marker = base::Trim(text.substr(semicolon + 1));
  text = base::Trim(text.substr(0, semicolon));
  size_t end = 0;
  while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '-' ||
                               text[end] == '_' || text[end] == '.'))
    ++end;
  need.name = NormalName(text.substr(0, end));
  text = base::Trim(text.substr(end));
  if (text.starts_with('[')) {
    const size_t close = std::min(text.find(']'), text.size());
    need.extras = base::SplitWords(text.substr(1, close - 1), ", ");
    text = base::Trim(text.substr(std::min(close + 1, text.size())));
  }
  for (const char c : text) {
    if (c != ' ' && c != '(' && c != ')') need.specifiers += c;
  }
  return need;
}

bool Counts(const Need& need, const Environment& environment) {
  return base::Holds(
             need.marker,
             {.python = environment.python, .cpu = environment.cpu, .windows = environment.windows}) != false;
}

}  // namespace culprit::whatif

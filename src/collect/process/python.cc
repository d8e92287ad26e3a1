#include "collect/process/python.h"

#include <algorithm>

#include "base/text.h"

namespace culprit::collect {
namespace {

// "/opt/venv" of "/opt/venv/lib/python3.12/site-packages/torch/_C.so"; "" of other paths.
std::string PrefixOfPackage(const std::string& path) {
  for (const char* packages : {"/site-packages/", "/dist-packages/"}) {
    const size_t at = path.find(packages);
    if (at == std::string::npos) continue;
    for (const char* library : {"/lib/python", "/lib64/python"}) {
      const size_t before = path.rfind(library, at);
      if (before != std::string::npos && before > 0) return path.substr(0, before);
    }
  }
  return "";
}

bool IsPython(const record::Process& process) {
  return base::BaseName(process.program).starts_with("python") ||
         std::ranges::any_of(process.loads, [](const record::Loaded& loaded) {
           return base::BaseName(loaded.path).starts_with("libpython");
         });
}

}  // namespace

std::vector<std::string> PythonPrefixes(const system::System& system, const ProcessLook& look,
                                        const std::string& command) {
  std::vector<std::string> prefixes;
  const auto add = [&](const std::string& prefix) {
    if (!prefix.empty() && std::ranges::find(prefixes, prefix) == prefixes.end()) prefixes.push_back(prefix);
  };
  for (const record::Loaded& loaded : look.process.loads) add(PrefixOfPackage(loaded.path));
  if (!IsPython(look.process)) return prefixes;
  const bool here = command.find('/') != std::string::npos && base::BaseName(command).starts_with("python");
  if (here && (command.starts_with('/') || !look.working_directory.empty())) {
    const std::string started = base::JoinPath(look.working_directory, command);
    const std::string prefix(base::DirName(base::DirName(started)));
    if (system.Stat(look.root + prefix + "/pyvenv.cfg") || system.Stat(look.root + prefix + "/conda-meta"))
      add(prefix);
  }
  const auto active = look.environment.find("VIRTUAL_ENV");
  if (prefixes.empty() && active != look.environment.end()) add(active->second);
  if (prefixes.empty()) add(std::string(base::DirName(base::DirName(look.process.program))));
  return prefixes;
}

}  // namespace culprit::collect

#include "run/watch/programs.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"
#include "system/terminal_child.h"

namespace culprit::watch {
namespace {

bool IsPython(const std::string& program) { return base::BaseName(program).starts_with("python"); }

bool IsShell(const std::string& program) {
  static constexpr std::array<std::string_view, 6> kShells = {"sh", "bash", "dash", "zsh", "fish", "busybox"};
  return std::ranges::find(kShells, base::BaseName(program)) != kShells.end();
}

}  // namespace

std::vector<std::string> ProgramsOf(const record::Run& run) {
  if (run.processes.empty()) return {};
  // The last program of the process: `env` and many scripts exec another one.
  std::string program;
  for (const record::Process& process : run.processes) {
    if (process.id == run.processes.front().id) program = process.program;
  }
  if (program.empty() || IsPython(program) || IsShell(program)) return {};
  return {program};
}

std::string PythonOf(const system::System& machine, const record::Run& run) {
  for (const record::Process& process : run.processes) {
    if (!IsPython(process.program)) continue;
    const auto own = machine.RealPath(process.program);
    const auto is_it = [&](const std::string& path) {
      const auto real = machine.RealPath(path);
      return real && own && *real == *own;
    };
    // By the name it was started with: only the symlink tells the environment.
    for (const std::string& word : {process.arguments.empty() ? std::string() : process.arguments.front(),
                                    run.command.empty() ? std::string() : run.command.front()}) {
      const std::string found = word.empty() ? "" : system::FindCommand(word).path;
      if (found.empty()) continue;
      const std::string path = base::CleanPath(base::JoinPath(machine.WorkingDirectory(), found));
      if (is_it(path)) return path;
    }
    // Or by the packages whose libraries it loaded.
    for (const record::Loaded& load : process.loads) {
      const size_t packages = load.path.find("/site-packages/");
      const size_t library =
          packages == std::string::npos ? packages : load.path.rfind("/lib/python", packages);
      if (library == std::string::npos) continue;
      const std::string path = load.path.substr(0, library) + "/bin/python3";
      if (is_it(path)) return path;
    }
    return process.program;
  }
  return "";
}

}  // namespace culprit::watch

#include "collect/windows/host.h"

#include "base/text.h"
#include "base/windows/path.h"
#include "collect/windows/python.h"

namespace culprit::collect {
namespace {

constexpr int kDeepest = 12;  // directories from a module up to its environment

bool IsPython(const std::string& target) {
  const std::string name = base::FoldCase(base::BaseName(target));
  return name.starts_with("python") && name.ends_with(".exe");
}

bool IsInsideEnvironment(const std::string& target) {
  const std::string folded = base::FoldCase(target);
  return folded.ends_with(".pyd") || folded.find("/site-packages/") != std::string::npos;
}

}  // namespace

std::string HostProgram(const system::System& system, const Variables& environment,
                        const std::string& target) {
  if (!IsPython(target) && (!IsInsideEnvironment(target) || base::FoldCase(target).ends_with(".exe")))
    return "";
  const Surroundings around{.system = system, .environment = environment, .working_directory = "/C:"};
  std::string directory(base::DirName(target));
  for (int depth = 0; depth < kDeepest && directory.size() > 3; ++depth) {
    if (IsWindowsEnvironment(system, directory)) {
      const auto python = DescribeWindowsPlace(around, {.prefix = directory});
      const std::string& program = python.process.empty() ? python.interpreter : python.process;
      return base::SameName(program, target) ? "" : program;
    }
    directory = base::DirName(directory);
  }
  return "";
}

std::string FindOnPath(const system::System& system, const Variables& environment, const std::string& name) {
  const auto path = environment.find("PATH");
  if (name.find_first_of("/\\:") != std::string::npos || path == environment.end()) return name;
  for (const std::string& directory : base::SplitWindowsPath(path->second)) {
    for (const char* ending : {"", ".exe"}) {
      const std::string candidate = base::JoinPath(directory, name + ending);
      const auto status = system.Stat(candidate);
      if (status && status->type == system::FileType::kRegular) return candidate;
    }
  }
  if (!IsPython(name)) return name;
  const Surroundings around{.system = system, .environment = environment, .working_directory = "/C:"};
  std::vector<std::string> problems;
  for (const Place& place : FindWindowsPlaces(around, problems)) {
    const std::string interpreter =
        place.interpreter.empty() ? WindowsInterpreterOf(around, place.prefix) : place.interpreter;
    if (base::SameName(base::BaseName(interpreter), name)) return interpreter;
  }
  return name;
}

}  // namespace culprit::collect

// A running process, inspected from outside: /proc/PID shows which files it has mapped, with which variables
// it was started, and which file system it sees. Does not attach to, stop or execute anything.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "collect/stack.h"
#include "snapshot/record/run.h"
#include "system/system.h"

namespace culprit::collect {

struct ProcessLook {
  // Its loads: the program, then libraries from the highest address down, which is mostly the order in which
  // they came. Who asked for them and how they were found is not known here (loader/observed.h). Paths are
  // those that the process sees.
  record::Process process;
  std::map<std::string, std::string> environment;  // that it was started with, as far as it matters to CUDA
  std::string working_directory;                   // "" not known
  std::string root;  // "" it sees the files that we see, else where they are: "/proc/4711/root"
  std::string user;  // number of its user; "" not known
  std::vector<std::string> python;  // prefixes of the Python environments that it uses
  std::vector<std::pair<std::string, std::string>> not_seen;  // what could not be read of it, and why
};

// An error says in one line why: there is no such process, it belongs to somebody else, it is a thread of the
// kernel.
base::Result<ProcessLook> LookAtProcess(const system::System& system, int64_t pid);

// The machine as the process sees it: files below its own root, the kernel's own (/proc, /sys) from here.
base::Result<std::shared_ptr<const system::System>> MachineOf(std::shared_ptr<const system::System> machine,
                                                              const ProcessLook& look);

// What the collectors need to look at `machine` as the process would: its variables, its directory, its
// Python.
Surroundings AroundProcess(const system::System& machine, const ProcessLook& look);

// One line of /proc/PID/maps that names a file.
struct Mapping {
  uint64_t begin = 0, end = 0;
  bool executable = false;
  std::string path;
};
// nullopt for memory without a file, and for a line that is none.
std::optional<Mapping> ParseMapping(std::string_view line);

}  // namespace culprit::collect

// `culprit run --sanitize` and `--debug`: the user's command under compute-sanitizer or cuda-gdb. The
// program's own output and exit status stay the same: the tool's report goes to a file. Neither tool reliably
// exits as the program did (compute-sanitizer exits with 0 after a crash), so a shell inside records how the
// program ended. That is for Linux; elsewhere the tool's own exit status is used.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "snapshot/record/run.h"
#include "system/fresh_directory.h"
#include "system/system.h"

namespace culprit::watch {

enum class Tool { kNone, kMemcheck, kRacecheck, kInitcheck, kSynccheck, kDebugger };

// The text that it leaves in the record. kUnknown for kNone.
record::Channel TextOf(Tool tool);
// The program: "compute-sanitizer", "cuda-gdb". "" for kNone.
std::string_view ProgramOf(Tool tool);
// "memcheck" ...; kNone for another word.
Tool SanitizerNamed(std::string_view word);

// Finds the tool: in PATH, in the toolkits of CUDA_HOME and CUDA_PATH, in /usr/local/cuda*, in conda and in
// the packages of the command's Python environment. Otherwise kNotFound, with one line that names the places
// and the package that provides it; then the command must not be run, since the user asked for this tool.
base::Result<std::string> FindTool(const system::System& machine, Tool tool,
                                   const std::vector<std::string>& command);

struct ToolRun {
  std::vector<std::string> command;  // to be run instead of the user's
  std::string report;                // the file that the tool writes
  std::string end;                   // the file that tells how the program ended; "" the report does
  bool tells_end = true;             // false: nothing does
};
// `help`: the output of `program --help`, for options that not every version has; "" = use none of them.
base::Result<ToolRun> PlanToolRun(const system::System& machine, Tool tool, const std::string& program,
                                  std::string_view help, const std::vector<std::string>& command,
                                  system::FreshDirectory& folder);
// Runs `program --help`.
std::string HelpOf(const std::string& program);

struct ProgramEnd {
  int exit_status = 0;
  int signal = 0;  // 0: none
};
// nullopt if unknown, for example if the tool could not start the program.
std::optional<ProgramEnd> EndOfProgram(const system::System& machine, const ToolRun& run);

}  // namespace culprit::watch

// `culprit run --sanitize` and `--debug`: the user's command handed to compute-sanitizer or cuda-gdb. The
// program's own output and end stay what they are: the tool's report goes to a file, and since neither tool
// can be trusted to end as the program did (compute-sanitizer ends with 0 after a crash), how it ended is
// written down from inside. Linux; elsewhere the tool's own exit status has to do.
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

// Where the tool lies: PATH, the toolkits of CUDA_HOME and CUDA_PATH, /usr/local/cuda*, conda and the
// packages of the command's Python environment. Not found: kNotFound, one line with the places and the
// package that brings it; then the command must not be run, since the user asked for this tool to look on.
base::Result<std::string> FindTool(const system::System& machine, Tool tool,
                                   const std::vector<std::string>& command);

struct ToolRun {
  std::vector<std::string> command;  // to be run instead of the user's
  std::string report;                // the file that the tool writes
  std::string end;                   // the file that tells how the program ended; "" the report does
  bool tells_end = true;             // false: nothing does
};
// `help`: what `program --help` says, for options that not every version has; "" none of these.
base::Result<ToolRun> PlanToolRun(const system::System& machine, Tool tool, const std::string& program,
                                  std::string_view help, const std::vector<std::string>& command,
                                  system::FreshDirectory& folder);
// Runs `program --help`.
std::string HelpOf(const std::string& program);

struct ProgramEnd {
  int exit_status = 0;
  int signal = 0;  // 0: none
};
// nullopt: it is not known, as when the tool could not start the program.
std::optional<ProgramEnd> EndOfProgram(const system::System& machine, const ToolRun& run);

}  // namespace culprit::watch

// `culprit run --sanitize` and `--debug`: the user's command handed to compute-sanitizer or cuda-gdb. Finds
// the tool, makes the command line around the user's, and says where the tool will write. The program's own
// output and exit status stay as they are; the tool's report goes to a file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "system/system.h"

namespace culprit::watch {

enum class Tool { kNone, kMemcheck, kRacecheck, kInitcheck, kSynccheck, kDebugger };

// Name of the text in the record: "compute-sanitizer", "cuda-gdb"; "" for kNone.
std::string_view TextName(Tool tool);
// "memcheck" ...; kNone for another word.
Tool SanitizerNamed(std::string_view word);

struct ToolRun {
  std::string program;               // path of the tool
  std::vector<std::string> command;  // its command line around the user's, [0] is `program`
  std::string report;                // file that it writes
};

// Where the tool lies: PATH, the toolkits of CUDA_HOME, CUDA_PATH and /usr/local/cuda*, the packages of a
// Python environment. Not found: kNotFound, one line with the places and the package that brings it; then the
// program must not be run, since the user asked for it to be watched by that tool.
base::Result<std::string> FindTool(const system::System& machine, Tool tool,
                                   const std::vector<std::string>& user_command);
// `report`: a file that is not there yet, in a folder of culprit's own.
base::Result<ToolRun> PlanToolRun(const system::System& machine, Tool tool,
                                  const std::vector<std::string>& user_command, const std::string& report);

}  // namespace culprit::watch

// One run under compute-sanitizer or cuda-gdb: the command that is started instead, and afterwards the tool's
// report for the record and the program's own exit status instead of the tool's.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "run/watch/tool_run.h"
#include "snapshot/record/run.h"
#include "system/fresh_directory.h"
#include "system/system.h"
#include "system/terminal_child.h"

namespace culprit::watch {

class ToolWatch {
 public:
  // It is an error if the tool is not installed or cannot work. Then the command must not be run.
  static base::Result<ToolWatch> Make(const system::System& machine, Tool tool,
                                      const std::vector<std::string>& command);

  const std::vector<std::string>& command() const { return run_.command; }
  // Says why nothing else can watch.
  std::vector<record::Watched> watched() const;

  // After the run: `end` becomes that of the program, the report goes into `run` without the secrets. An
  // error: the tool did not run the program.
  base::Result<void> Finish(const system::System& machine, const std::vector<std::string>& known,
                            system::TerminalEnd& end, record::Run& run) const;

 private:
  Tool tool_ = Tool::kNone;
  std::string program_;
  std::unique_ptr<system::FreshDirectory> folder_;
  ToolRun run_;
};

}  // namespace culprit::watch

// Runs a user's command unchanged and records what happens: loads (through the loader's audit interface),
// failed CUDA calls (through the driver's injection hook or logs), crashes, output. Run::watched says what
// could not be watched.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "run/watch/tool_run.h"
#include "snapshot/record/run.h"
#include "system/system.h"
#include "system/terminal_child.h"

namespace culprit::watch {

using Bytes = std::span<const unsigned char>;
using Machine = std::shared_ptr<const system::System>;  // shared with threads that may hang on a dead mount

// The libraries that are loaded into the command (src/run/witness). Empty if they are not embedded in
// culprit; then they are looked for next to it and in ../libexec/culprit.
struct Libraries {
  Bytes audit;
  Bytes injection;
};

struct Request {
  std::vector<std::string> command;  // as the user wrote it
  bool loads = true;
  bool calls = true;
  bool logs = true;
  Libraries libraries;
  // Run under compute-sanitizer or cuda-gdb, whose report becomes a text of the record; then only its logs
  // and the output are watched. If the tool is not installed, that is an error and the command is not run.
  Tool tool = Tool::kNone;
  // How many times a second the command may wait for what is looked at first. Once, where a file system may
  // never answer; without one a busy machine is given more time, so that the same is watched every time.
  int patience = 1;
};

struct Seen {
  record::Run run;
  system::TerminalEnd end;  // culprit has to end the same way (system::EndAs)
};

// `on_output` gets everything the program writes, as it comes. A command that cannot be started is not an
// error here.
base::Result<Seen> Watch(const Machine& machine, const Request& request,
                         const std::function<void(std::string_view)>& on_output = {});

}  // namespace culprit::watch

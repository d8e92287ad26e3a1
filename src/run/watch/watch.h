// Runs a user's command as it would run anyway, and writes down what happens: loads by the loader's audit
// interface, failed CUDA calls by the driver's injection hook or by logs, crashes, output. What cannot be
// watched is said in Run::watched and changes nothing else.
#pragma once

#include <functional>
#include <map>
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

// The libraries that go into the program (src/witness); empty where they are not inside this program: then
// they are looked for beside it and in ../libexec/culprit.
struct Libraries {
  Bytes audit;
  Bytes injection;
};

struct Request {
  std::vector<std::string> command;  // as the user wrote it
  bool loads = true;
  bool calls = true;
  bool logs = true;
  std::vector<std::string> cupti;  // copies of libcupti, the best first
  Libraries libraries;
  // Run by compute-sanitizer or cuda-gdb, which writes a text of the record; nothing but its logs and output
  // is watched then. One that is not here is an error, and the command is not run.
  Tool tool = Tool::kNone;
};

struct Seen {
  record::Run run;
  system::TerminalEnd end;  // as this program has to end, too (system::EndAs)
};

// `on_output` sees all that the program writes, as it comes. A command that cannot be started is an answer,
// too.
base::Result<Seen> Watch(const system::System& machine, const Request& request,
                         const std::function<void(std::string_view)>& on_output = {});

}  // namespace culprit::watch

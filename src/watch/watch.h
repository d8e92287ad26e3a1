// Runs a user's command as it would run anyway, and writes down what happens: loads by the loader's audit
// interface, failed CUDA calls by the driver's injection hook or by logs, crashes, output. What cannot be
// watched is said in Run::watched and changes nothing else.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "record/run.h"
#include "system/system.h"

namespace culprit::watch {

struct Request {
  std::vector<std::string> command;  // as the user wrote it
  bool loads = true;
  bool calls = true;
  bool logs = true;
  std::vector<std::string> cupti;  // copies of libcupti, the best first
};

// `on_output` sees all that the program writes, as it comes.
base::Result<record::Run> Watch(const system::System& machine, const Request& request,
                                const std::function<void(std::string_view)>& on_output);

}  // namespace culprit::watch

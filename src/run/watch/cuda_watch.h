// What makes the CUDA calls of a command visible: the library that the driver loads into it (witness/
// injection.h) with a copy of CUPTI for it, and the logs that cuDNN and the driver write themselves. All of
// it is switched on by environment variables, and a variable that the user has set stays as it is.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "snapshot/record/run.h"
#include "system/system.h"

namespace culprit::watch {

// Copies of libcupti for this CPU that a command could use, the best first: of the environment of its Python,
// of the toolkits, in the usual directories. `command` as the user wrote it: a program on PATH, or one whose
// first line names its Python. Lists a few directories, so it can be asked before each run.
std::vector<std::string> FindCupti(const system::System& machine, const std::vector<std::string>& command);

struct Switches {
  std::map<std::string, std::string> variables;  // to be set for the command; never one that it has
  std::vector<record::Watched> watched;          // what is not going to be seen, and why
};

// For failing CUDA calls. `library`: path of culprit-injection.so ("" = there is none); it needs
// CULPRIT_JOURNAL besides, and tells through the journal how it went.
Switches SwitchesForCalls(const std::map<std::string, std::string>& environment, const std::string& library,
                          const std::vector<std::string>& cupti);
// For logs, written into `directory` (absolute, of this run alone). `watched` says also which log is on.
Switches SwitchesForLogs(const std::map<std::string, std::string>& environment, const std::string& directory);

// A log that a run left behind.
struct CudaLog {
  record::Channel name = record::Channel::kUnknown;
  std::string path;
  int64_t process = 0;  // 0: of all processes
};
std::vector<CudaLog> FindLogs(const system::System& machine, const std::string& directory);

struct LoggedCall {
  int64_t process = 0;      // 0: not known; `call.thread` is one of it
  record::FailedCall call;  // `at` is 0 where it is not known
};
// Of the text of such a log; foreign, and perhaps cut off anywhere. `started`: LocalTimeOfDay() at the start
// of the command, because logs have the time of a clock on the wall; -1 not known.
std::vector<LoggedCall> CallsOf(const CudaLog& log, std::string_view text, int64_t started = -1);
int64_t LocalTimeOfDay();  // microseconds since midnight

// Adds them to the processes of a run: what a log says of a call that was seen becomes its detail, the others
// become calls of their own.
void AddLoggedCalls(record::Run& run, const std::vector<LoggedCall>& calls);

// Takes out what our library loaded, and asked for in vain, for itself: a libcupti of another CUDA would look
// like a mix of the program's.
void ForgetOurOwn(record::Run& run);

}  // namespace culprit::watch

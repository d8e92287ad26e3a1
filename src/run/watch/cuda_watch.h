// Makes the CUDA calls of a command visible: the library that the driver loads into it (witness/injection.h)
// with a copy of CUPTI, and the logs that cuDNN and the driver write. Environment variables turn all of this
// on; a variable that the user has set stays as it is.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "snapshot/record/run.h"
#include "system/system.h"

namespace culprit::watch {

// Copies of libcupti for this CPU that a command could use, best first: from its Python environment, from the
// toolkits, from the usual directories. `command` is what the user typed: a program on PATH, or a script
// whose first line names its Python. Lists only a few directories, so it can be called before each run.
std::vector<std::string> FindCupti(const system::System& machine, const std::vector<std::string>& command);

struct Switches {
  std::map<std::string, std::string> variables;  // to set for the command; never one that is already set
  std::vector<record::Watched> watched;          // what is not going to be seen, and why
};

// For failing CUDA calls. `library`: path of culprit-injection.so ("" = none); it also needs CULPRIT_JOURNAL,
// and reports through the journal how it went.
Switches SwitchesForCalls(const std::map<std::string, std::string>& environment, const std::string& library,
                          const std::vector<std::string>& cupti);
// For logs, written to `directory` (absolute, for this run only). `watched` also says which log is on.
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
// The calls in such a log, which is untrusted and may be cut off anywhere. `started`: LocalTimeOfDay() at the
// start of the command, because logs contain wall-clock times; -1 = unknown.
std::vector<LoggedCall> CallsOf(const CudaLog& log, std::string_view text, int64_t started = -1);
int64_t LocalTimeOfDay();  // microseconds since midnight

// Adds them to the processes of a run. For a call that was seen already, the log's text becomes its detail;
// the others become new calls.
void AddLoggedCalls(record::Run& run, const std::vector<LoggedCall>& calls);

// Removes what our own library loaded or tried to load: a libcupti from another CUDA would look as if the
// program mixed versions.
void ForgetOurOwn(record::Run& run);

}  // namespace culprit::watch

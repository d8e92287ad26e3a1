// What Windows told of a command while it ran (system::ProcessEvent) -> the processes of a record, as the
// journal of the libraries gives them elsewhere. Who asked for a library is not told there, nor a load that
// failed.
#pragma once

#include <chrono>
#include <map>
#include <vector>

#include "snapshot/record/run.h"
#include "system/terminal_child.h"

namespace culprit::watch {

class ProcessEvents {
 public:
  explicit ProcessEvents(std::chrono::steady_clock::time_point start) : start_(start) {}

  void Add(const system::ProcessEvent& event);
  // In the order in which they were started.
  std::vector<record::Process> Take() { return std::move(processes_); }

 private:
  record::Process* Find(int64_t id);
  void Load(const system::ProcessEvent& event, uint64_t at, record::Process& process);
  void Crash(const system::ProcessEvent& event, uint64_t at, record::Process& process);

  std::chrono::steady_clock::time_point start_;
  std::vector<record::Process> processes_;
};

}  // namespace culprit::watch

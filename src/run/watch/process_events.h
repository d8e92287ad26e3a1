// What Windows reported about a command while it ran (system::ProcessEvent) -> the processes of a record; on
// Linux these come from the journal. Windows does not say who asked for a library, or which loads failed.
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

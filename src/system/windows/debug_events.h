// What Windows tells a debugger about a process and those that it starts, passed on as ProcessEvents while
// the process goes on as if nobody listened: every exception is given back to it but the one that only greets
// the debugger.
#pragma once

#include <map>

#include "system/terminal_child.h"
#include "system/windows/native.h"

namespace culprit::system {

class DebugEvents {
 public:
  explicit DebugEvents(std::function<void(const ProcessEvent&)> listener) : listener_(std::move(listener)) {}

  // Waits for the next event, so long; false: there was none. To be called by the thread that started the
  // process.
  bool Next(DWORD milliseconds);
  // The process and all its children are gone, as far as their events tell.
  bool over() const { return begun_ && processes_.empty(); }
  // Those that are left are debugged no more.
  void LetGo();

 private:
  struct Process {
    HANDLE handle = nullptr;  // Windows closes it
    std::map<DWORD, HANDLE> threads;
    bool greeted = false;
    bool narrow = false;  // 32 bits: told by the greeting
  };

  void Start(const DEBUG_EVENT& event);
  void Load(const DEBUG_EVENT& event);
  DWORD Exception(const DEBUG_EVENT& event);
  void NotDelayed(const Process& process, const EXCEPTION_RECORD& record, ProcessEvent told);
  void Crash(const Process& process, const EXCEPTION_RECORD& record, ProcessEvent told);
  ProcessEvent About(const DEBUG_EVENT& event, ProcessEvent::Kind kind) const;

  std::function<void(const ProcessEvent&)> listener_;
  std::map<DWORD, Process> processes_;
  bool begun_ = false;
};

}  // namespace culprit::system

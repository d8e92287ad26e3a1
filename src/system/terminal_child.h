// Runs a user's command as the shell would, and lets a caller listen: a stream that is a terminal for us is a
// pseudo-terminal for the command, a file or pipe is a pipe; bytes pass through unchanged and at once.
// Signals, job control and the exit status stay the same.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace culprit::system {

// The file that a shell would start for this word; "" = none. `why`: "" or what is wrong with it.
struct FoundProgram {
  std::string path;
  int status = 0;  // 127 = not found, 126 = cannot be started
  std::string why;
};
FoundProgram FindCommand(const std::string& word);

struct TerminalRequest {
  std::vector<std::string> command;              // [0] is looked up by PATH as a shell does
  std::map<std::string, std::string> variables;  // set in its environment, besides those of this process
  std::optional<FoundProgram> found = {};        // what [0] was found to be; nullopt: not looked up yet
};

// What the system reports about a command and the processes it starts. Only on Windows, where a debugger gets
// these events; elsewhere the libraries of run/witness tell more.
struct ProcessEvent {
  enum class Kind {
    kStart,       // a process: its program, mapped
    kLoad,        // a library was mapped
    kUnload,      // and is no more
    kNotDelayed,  // a delay-loaded library was not found
    kCrash,       // an exception that nobody handled
    kEnd,
  };
  Kind kind = Kind::kEnd;
  std::chrono::steady_clock::time_point at;
  int64_t process = 0, parent = 0, thread = 0;  // parent: only for kStart, 0 = unknown
  std::string path;                             // inside spelling; of kNotDelayed the name
  uint64_t base = 0, end = 0;                   // end: 0 not known
  bool running = false;                         // kLoad: start-up was over, so the program asked for it
  uint32_t code = 0;                            // of the exception, or the exit code
  bool touched = false, wrote = false;          // kCrash: it was by `address`
  uint64_t address = 0;
  std::vector<uint64_t> frames;  // kCrash: [0] is where; the others are words of the stack
};

struct TerminalWatch {
  // Everything it writes, on both streams, as it comes.
  std::function<void(std::string_view)> on_output = {};
  // It has started.
  std::function<void(int64_t process)> on_start = {};
  // The first request to end ("SIGINT"). If the signal can be held back for a moment, the command has not
  // received it yet.
  std::function<void(int64_t process, std::string_view signal)> on_interrupt = {};
  // If set, the command is debugged on Windows. Never called elsewhere.
  std::function<void(const ProcessEvent&)> on_event = {};
};

struct TerminalEnd {
  bool started = false;
  std::string problem;  // why it was not: "no such program"; exit_status is 127 or 126 then
  int exit_status =
      0;  // where no signal ended it; on Windows the code as it is (0xC0000005 = access violation)
  std::string signal;  // "SIGSEGV"; "" none
  int signal_number = 0;
  std::string interrupted;      // the first that came of SIGINT, SIGTERM, SIGQUIT and SIGHUP; "" none
  uint64_t interrupted_at = 0;  // microseconds since the start
  bool reader_left = false;     // who read our standard output went away before it ended
  bool terminal = false;        // it had a terminal for its output
  std::chrono::steady_clock::time_point start;
  uint64_t duration = 0;  // microseconds
};

// Blocks until the command has ended. Fails only if the streams could not be set up; a command that cannot be
// started is not an error. Call it while this process has only one thread.
base::Result<TerminalEnd> RunInTerminal(const TerminalRequest& request, const TerminalWatch& watch);

// "SIGSEGV"; "" where there are no signals.
std::string NameOfSignal(int number);

// Why RunInTerminal cannot call on_event; "" if it can.
std::string WhyNoEvents();

// Ends this process the same way: with its exit status, or by its signal.
[[noreturn]] void EndAs(const TerminalEnd& end);

}  // namespace culprit::system

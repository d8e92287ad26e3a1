// Runs a user's command as his shell would run it, and lets somebody listen: a stream that is a terminal here
// is a pseudo-terminal there, one that is a file or pipe is a pipe; bytes pass through as they are and when
// they come. Signals, job control and the way it ends stay what they were.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace culprit::system {

struct TerminalRequest {
  std::vector<std::string> command;              // [0] is looked up by PATH as a shell does
  std::map<std::string, std::string> variables;  // set in its environment, besides those of this process
};

// What the system itself tells of a command and of the processes that it starts. On Windows alone, where a
// debugger hears it; elsewhere the libraries of witness/ tell more.
struct ProcessEvent {
  enum class Kind {
    kStart,       // a process: its program, mapped
    kLoad,        // a library was mapped
    kUnload,      // and is no more
    kNotDelayed,  // a library that was to be loaded at the first call of one of its functions was not found
    kCrash,       // an exception that nobody handled
    kEnd,
  };
  Kind kind = Kind::kEnd;
  std::chrono::steady_clock::time_point at;
  int64_t process = 0, parent = 0, thread = 0;  // parent: of kStart, 0 not known
  std::string path;                             // inside spelling; of kNotDelayed the name
  uint64_t base = 0, end = 0;                   // end: 0 not known
  bool running = false;                         // kLoad: start-up was over, so the program asked for it
  uint32_t code = 0;                            // of the exception, or the exit code
  bool touched = false, wrote = false;          // kCrash: it was by `address`
  uint64_t address = 0;
  std::vector<uint64_t> frames;  // kCrash: [0] is where; the others are words of the stack
};

struct TerminalWatch {
  // All that it writes, both streams, as it comes.
  std::function<void(std::string_view)> on_output = {};
  // It has started.
  std::function<void(int64_t process)> on_start = {};
  // Somebody wants it to end, for the first time ("SIGINT"). Where that can be held up for a moment, it has
  // not heard of it yet.
  std::function<void(int64_t process, std::string_view signal)> on_interrupt = {};
  // Set: on Windows the command runs as one that is debugged. Never called elsewhere.
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

// The file that a shell would start for this word; "" none. `why`: "" or what is wrong with it.
struct FoundProgram {
  std::string path;
  int status = 0;  // 127 not found, 126 not to be started
  std::string why;
};
FoundProgram FindCommand(const std::string& word);

// Blocks until the command has ended. An error only when nothing could be set up; a command that cannot be
// started is an answer. To be called while this process has one thread.
base::Result<TerminalEnd> RunInTerminal(const TerminalRequest& request, const TerminalWatch& watch);

// "SIGSEGV"; "" where there are no signals.
std::string NameOfSignal(int number);

// Whether RunInTerminal can call on_event; "" it can.
std::string WhyNoEvents();

// Ends this process as that one ended: its status, or its signal.
[[noreturn]] void EndAs(const TerminalEnd& end);

}  // namespace culprit::system

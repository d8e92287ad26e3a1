// Running a program as a child that cannot hurt: own process group, nothing on its standard input, its output
// in pieces as it comes, an end after the time it is given. Only probe and run (and the compilers that probe
// calls) go through here.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace culprit::system {

struct ChildRequest {
  std::string program;                                            // absolute path of this machine
  std::vector<std::string> arguments;                             // without the program itself
  std::optional<std::map<std::string, std::string>> environment;  // nullopt: that of this process
  std::string working_directory;                                  // "": that of this process
};

struct ChildEnd {
  int exit_status =
      0;  // where no signal ended it; on Windows the code as it is (0xC0000005 = access violation)
  std::string signal;  // "SIGSEGV"; "" none
  bool out_of_time = false;
  bool killed_here = false;  // it had not ended by itself: too late, stopped, or on_output had heard enough
  double seconds = 0;
};

enum class ChildStream { kOutput, kError };

struct ChildWatch {
  // Called in this thread with what the child writes. False: it has said enough, end it.
  std::function<bool(ChildStream, std::string_view)> on_output;
  // When all that it had written was passed on. Between two of these the order of the two streams is not
  // known.
  std::function<void()> on_pause = {};
  // When its time is over; asked again after each output. Then it gets SIGTERM (which culprit-probe answers
  // by saying where it is) and half a second later it is killed with all its own children.
  std::function<std::chrono::steady_clock::time_point()> deadline = {};
  // Asked to stop from another thread: it is killed at once.
  std::stop_token stop = {};
};

// Blocks until the child has ended. An error only when it could not be started.
base::Result<ChildEnd> RunChild(const ChildRequest& request, const ChildWatch& watch);

}  // namespace culprit::system

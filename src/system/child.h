// Runs a program as a child that can do no harm: it has its own process group, a standard input
// that is a file or empty, and a time limit, and its output is passed on as it comes. Only for probe and run,
// for the compilers that probe calls, and for culprit itself.
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
  std::optional<std::map<std::string, std::string>> environment;  // nullopt = the one of this process
  std::string working_directory;                                  // "": that of this process
  std::string input_file = "";                                    // its standard input; "": nothing
};

struct ChildEnd {
  int exit_status =
      0;  // where no signal ended it; on Windows the code as it is (0xC0000005 = access violation)
  std::string signal;  // "SIGSEGV"; "" none
  bool out_of_time = false;
  bool killed_here = false;  // it did not end by itself: time limit, stopped, or on_output returned false
  double seconds = 0;
};

enum class ChildStream { kOutput, kError };

struct ChildWatch {
  // Called in this thread with what the child writes. Return false to end the child.
  std::function<bool(ChildStream, std::string_view)> on_output;
  // Called when everything written so far was passed on. Between two such calls the order of the two streams
  // is unknown.
  std::function<void()> on_pause = {};
  // The deadline; asked again after each output. The child then gets SIGTERM (culprit-probe answers with its
  // current step), and two seconds later it is killed with all of its children.
  std::function<std::chrono::steady_clock::time_point()> deadline = {};
  // Another thread can request a stop: the child is killed at once.
  std::stop_token stop = {};
  // Or ask for an end, which comes as that at the deadline. Not on Windows.
  std::stop_token end = {};
};

// Blocks until the child has ended. Fails only if it could not be started.
base::Result<ChildEnd> RunChild(const ChildRequest& request, const ChildWatch& watch);

}  // namespace culprit::system

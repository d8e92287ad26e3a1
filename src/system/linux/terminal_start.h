// How a watched command gets its streams and its process. Two ways:
//
// - Its own terminal, where all three streams are the terminal of this session: a pseudo-terminal becomes the
//   controlling terminal of a session whose leader is a process of ours (`leader`) that does nothing but wait
//   for the command. Without it the command's process group would have no parent in its session, and the
//   kernel would not let Ctrl-Z stop it.
// - The same session otherwise: standard input is inherited, the process group is ours, so that the terminal
//   reaches it as it always would. A pseudo-terminal is then only what isatty() asks for.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "system/linux/descriptor.h"

namespace culprit::system {

// What the command writes to, and where that goes.
struct ChildStreamEnds {
  Descriptor ours;  // to be read; of a pseudo-terminal also to be written
  Descriptor
      theirs;  // kept open for a pseudo-terminal: without it a pause in its use would look like its end
  int to = 1;  // our own standard output or error
  bool terminal = false;
};

struct ChildStreams {
  std::vector<ChildStreamEnds> ends;
  int output = -1, error = -1;  // places in `ends`; -1: closed here, and so there
  bool own_terminal = false;
};

// An error of the system as text.
base::Result<ChildStreams> OpenChildStreams();

struct StartedChild {
  pid_t child = -1;   // of this process: the command, or the leader of its session
  Descriptor status;  // with a leader: what it tells of the command
  Descriptor stay;    // the leader goes when this is closed
  pid_t command = -1;
  int error = 0;  // errno of execve; 0 it runs
};

// What a leader tells.
struct LeaderWord {
  enum Kind : int32_t { kProcess, kStatus };
  int32_t kind;
  int32_t value;
};

struct StartRequest {
  std::string program;
  std::vector<std::string> arguments;  // [0] too
  std::vector<std::string> environment;
  sigset_t signals;  // blocked in it
  struct sigaction on_child_end;
};

base::Result<StartedChild> StartChild(StartRequest request, const ChildStreams& streams);

}  // namespace culprit::system

// Between fork and exec only bare system calls, as in child_linux.cc.
#include "system/linux/terminal_start.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "system/linux/exec_pointers.h"
#include "system/linux/uninterrupted.h"
#include "system/linux/user_terminal.h"

namespace culprit::system {
namespace {

std::unexpected<base::Error> Failed(const char* what) {
  return base::Fail(base::ErrorCode::kUnsupported,
                    std::string(what) + ": " + std::generic_category().message(errno));
}

// Whether we were started with this stream. A closed one is held by an O_PATH descriptor
// (cli/console_linux.cc).
bool IsGiven(int fd, struct stat& status) {
  const int flags = fcntl(fd, F_GETFL);
  return flags >= 0 && (flags & O_PATH) == 0 && fstat(fd, &status) == 0;
}

bool Same(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

bool OpenTerminal(ChildStreamEnds& ends) {
  ends.terminal = true;
  ends.ours = Lift(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  char name[128];
  if (!ends.ours || grantpt(ends.ours.get()) != 0 || unlockpt(ends.ours.get()) != 0 ||
      ptsname_r(ends.ours.get(), name, sizeof(name)) != 0)
    return false;
  ends.theirs = Lift(open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!ends.theirs) return false;
  CopySize(ends.to, ends.theirs.get());
  return true;
}

bool OpenEnds(ChildStreamEnds& ends, bool terminal, bool own_terminal) {
  if (terminal) {
    termios settings = {};
    if (!OpenTerminal(ends) || tcgetattr(own_terminal ? 0 : ends.theirs.get(), &settings) != 0) return false;
    // Where the user's terminal keeps its settings, it is that which makes "\r\n" of "\n".
    if (!own_terminal) cfmakeraw(&settings);
    if (tcsetattr(ends.theirs.get(), TCSANOW, &settings) != 0) return false;
  } else {
    Pipe pipe;
    if (!Open(pipe)) return false;
    ends.ours = std::move(pipe.read);
    ends.theirs = std::move(pipe.write);
  }
  return fcntl(ends.ours.get(), F_SETFL, fcntl(ends.ours.get(), F_GETFL) | O_NONBLOCK) == 0;
}

struct TerminalLaunch {
  const char* program;
  char* const* arguments;
  char* const* by_shell;  // a script without "#!", as every shell runs it
  char* const* environment;
  int terminal;  // its own; -1 none
  int output, error;
  int report;
  const StartRequest* request;
};

[[noreturn]] void BecomeCommand(const TerminalLaunch& launch) {
  bool ready = true;
  if (launch.terminal >= 0) {
    setpgid(0, 0);
    tcsetpgrp(launch.terminal, getpid());  // SIGTTOU is blocked here
    ready = dup2(launch.terminal, 0) >= 0;
  }
  if (launch.output >= 0) ready = ready && dup2(launch.output, 1) >= 0;
  if (launch.error >= 0) ready = ready && dup2(launch.error, 2) >= 0;
  if (ready) {
    sigaction(SIGCHLD, &launch.request->on_child_end, nullptr);
    sigprocmask(SIG_SETMASK, &launch.request->signals, nullptr);
    execve(launch.program, launch.arguments, launch.environment);
    if (errno == ENOEXEC) execve("/bin/sh", launch.by_shell, launch.environment);
  }
  const int32_t error = errno;
  [[maybe_unused]] const ssize_t written = write(launch.report, &error, sizeof(error));
  _exit(127);
}

// All signals are blocked: only our end, or being killed, ends it.
[[noreturn]] void LeadSession(const TerminalLaunch& launch, int told, int stay) {
  setsid();
  ioctl(launch.terminal, TIOCSCTTY, 0);
  const pid_t command = fork();
  if (command == 0) BecomeCommand(launch);
  close(launch.report);
  LeaderWord word = {LeaderWord::kProcess, command};
  [[maybe_unused]] ssize_t written = write(told, &word, sizeof(word));
  while (command > 0) {
    int status = 0;
    if (Uninterrupted([&] { return waitpid(command, &status, WUNTRACED); }) < 0) break;
    if (!WIFSTOPPED(status)) {
      // Else its children in the background would get SIGHUP when this process goes.
      tcsetpgrp(launch.terminal, getpgrp());
      for (int fd = 0; fd < 3; ++fd) close(fd);
      close(launch.terminal);
    }
    word = {LeaderWord::kStatus, status};
    written = write(told, &word, sizeof(word));
    if (!WIFSTOPPED(status)) break;
  }
  char nothing;
  Uninterrupted([&] { return read(stay, &nothing, 1); });
  _exit(0);
}

}  // namespace

base::Result<ChildStreams> OpenChildStreams() {
  struct stat input = {}, output = {}, error = {};
  const bool has_output = IsGiven(1, output), has_error = IsGiven(2, error);
  const bool output_terminal = has_output && isatty(1) == 1, error_terminal = has_error && isatty(2) == 1;
  const bool both = has_output && has_error && output_terminal == error_terminal && Same(output, error);
  ChildStreams streams;
  streams.own_terminal = both && output_terminal && isatty(0) == 1 && fstat(0, &input) == 0 &&
                         Same(input, output) && tcgetsid(0) == getsid(0);
  if (has_output) {
    streams.output = 0;
    streams.ends.emplace_back().to = 1;
    if (!OpenEnds(streams.ends.back(), output_terminal, streams.own_terminal))
      return Failed("no terminal or pipe for the program's output");
  }
  if (both) {
    streams.error = streams.output;
  } else if (has_error) {
    streams.error = static_cast<int>(streams.ends.size());
    streams.ends.emplace_back().to = 2;
    if (!OpenEnds(streams.ends.back(), error_terminal, false))
      return Failed("no terminal or pipe for the program's errors");
  }
  return streams;
}

base::Result<StartedChild> StartChild(StartRequest request, const ChildStreams& streams) {
  Pipe report, status, stay;
  if (!Open(report) || !Open(status) || !Open(stay)) return Failed("no pipe");
  const std::vector<char*> environment = Pointers(request.environment);
  std::vector<char*> arguments = Pointers(request.arguments);
  std::string shell = "/bin/sh", script = request.program;
  std::vector<char*> by_shell = {shell.data(), script.data()};
  by_shell.insert(by_shell.end(), arguments.begin() + 1, arguments.end());
  const auto theirs = [&](int place) {
    return place < 0 ? -1 : streams.ends[static_cast<size_t>(place)].theirs.get();
  };
  const TerminalLaunch launch = {request.program.c_str(),
                                 arguments.data(),
                                 by_shell.data(),
                                 environment.data(),
                                 streams.own_terminal ? theirs(streams.output) : -1,
                                 theirs(streams.output),
                                 theirs(streams.error),
                                 report.write.get(),
                                 &request};
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  StartedChild started;
  started.child = fork();
  if (started.child == 0) {
    if (!streams.own_terminal) BecomeCommand(launch);
    status.read.Close();
    stay.write.Close();
    for (const ChildStreamEnds& ends : streams.ends) close(ends.ours.get());
    LeadSession(launch, status.write.get(), stay.read.get());
  }
  const int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  if (started.child < 0) return Failed("no new process");
  report.write.Close();
  status.write.Close();
  stay.read.Close();
  started.command = started.child;
  if (streams.own_terminal) {
    LeaderWord word = {LeaderWord::kProcess, -1};
    Uninterrupted([&] { return read(status.read.get(), &word, sizeof(word)); });
    started.command = word.value;
    started.status = std::move(status.read);
    started.stay = std::move(stay.write);
    if (started.command <= 0) return Failed("no new process");
  }
  int32_t refused = 0;
  Uninterrupted([&] { return read(report.read.get(), &refused, sizeof(refused)); });
  started.error = refused;
  return started;
}

}  // namespace culprit::system

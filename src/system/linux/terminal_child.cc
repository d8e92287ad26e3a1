// The loop between the user's terminal and that of his program. Signals arrive here as data (signalfd), so
// that none of them is lost or comes between two steps; what the program inherits of them is what we
// inherited.
#include "system/terminal_child.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <system_error>

#include "system/linux/relay.h"
#include "system/linux/signal_name.h"
#include "system/linux/terminal_start.h"
#include "system/linux/uninterrupted.h"
#include "system/linux/user_terminal.h"

namespace culprit::system {
namespace {

using Clock = std::chrono::steady_clock;
using Buffer = std::array<char, 64 * 1024>;
constexpr auto kNewPatience = std::chrono::seconds(5);  // an interruption after that is a new one

std::vector<std::string> EnvironmentWith(const std::map<std::string, std::string>& variables) {
  std::vector<std::string> environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!variables.contains(std::string(text.substr(0, text.find('='))))) environment.emplace_back(text);
  }
  for (const auto& [name, value] : variables) environment.push_back(name + "=" + value);
  return environment;
}

class Session {
 public:
  Session(const TerminalRequest& request, const TerminalWatch& watch) : request_(request), watch_(watch) {}
  ~Session() {
    user_.Restore();
    stay_.Close();
    // Nothing was told any more: an exception is on its way.
    if (leader_ > 0) Uninterrupted([this] { return waitpid(leader_, nullptr, 0); });
    if (caught_) {
      sigaction(SIGCHLD, &on_child_end_, nullptr);
      DropPending();
      pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
    }
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  base::Result<TerminalEnd> Run() {
    const FoundProgram found = request_.found ? *request_.found : FindCommand(request_.command.front());
    end_.start = Clock::now();
    if (found.path.empty()) return NotStarted(found.status, found.why);
    auto streams = OpenChildStreams();
    if (!streams) return NotStarted(126, streams.error().message);
    own_terminal_ = streams->own_terminal;
    // Without it, nothing would tell that the command has ended.
    if (!CatchSignals()) return NotStarted(126, "cannot wait for signals: " + Words(errno));
    end_.start = Clock::now();
    auto started = StartChild({.program = found.path,
                               .arguments = request_.command,
                               .environment = EnvironmentWith(request_.variables),
                               .signals = mask_,
                               .on_child_end = on_child_end_},
                              *streams);
    if (!started) return NotStarted(126, started.error().message);
    child_ = started->child;
    command_ = started->command;
    told_ = std::move(started->status);
    stay_ = std::move(started->stay);
    if (own_terminal_) leader_ = child_;
    for (ChildStreamEnds& ends : streams->ends) Take(std::move(ends));
    if (started->error != 0) {
      stay_.Close();
      Reap();
      return NotStarted(started->error == ENOENT ? 127 : 126,
                        found.path + ": " +
                            (started->error == ENOENT ? "its loader or interpreter does not exist"
                                                      : Words(started->error)));
    }
    end_.started = true;
    if (watch_.on_start) watch_.on_start(command_);
    if (own_terminal_) user_.GoRaw();
    while (!ended_) Step();
    Finish();
    return end_;
  }

 private:
  TerminalEnd NotStarted(int status, const std::string& why) {
    end_.exit_status = status;
    end_.problem = why;
    return end_;
  }

  void Take(ChildStreamEnds ends) {
    end_.terminal |= ends.terminal;
    relays_.emplace_back(std::move(ends));
  }

  // SIGTSTP too: we stop when the program has stopped, so that the shell does not read a key meant for it,
  // and not at all if it goes on.
  // False, with errno: the system has no descriptor for it.
  bool CatchSignals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number :
         {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCONT, SIGWINCH, SIGCHLD, SIGTSTP})
      sigaddset(&set, number);
    signals_ = Lift(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!signals_) return false;
    sigaddset(&set, SIGPIPE);  // a write says it, too
    pthread_sigmask(SIG_BLOCK, &set, &mask_);
    struct sigaction plain = {};
    plain.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &plain, &on_child_end_);
    caught_ = true;
    return true;
  }

  // What came for the program after its end is for nobody.
  void DropPending() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : {SIGPIPE, SIGCHLD, SIGWINCH, SIGCONT, SIGINT, SIGQUIT, SIGTSTP})
      sigaddset(&set, number);
    const timespec now = {};
    while (sigtimedwait(&set, nullptr, &now) > 0) {
    }
  }

  void Step() {
    std::vector<pollfd> waits = {{signals_.get(), POLLIN, 0}, {told_.get(), POLLIN, 0}};
    const bool keys = user_.raw() && input_.empty();
    waits.push_back({keys ? 0 : -1, POLLIN, 0});
    for (const Relay& relay : relays_) {
      waits.push_back({relay.writes() ? -1 : relay.from(), POLLIN, 0});
      waits.push_back({relay.writes() ? relay.to() : -1, POLLOUT, 0});
    }
    if (!input_.empty() && !relays_.empty()) waits.push_back({relays_.front().from(), POLLOUT, 0});
    if (poll(waits.data(), waits.size(), -1) < 0) return;
    for (size_t i = 0; i < relays_.size(); ++i) {
      if (waits[3 + 2 * i].revents != 0) relays_[i].Read(watch_.on_output);
      if (waits[4 + 2 * i].revents != 0) relays_[i].WriteSome();
    }
    if (!input_.empty()) PassInput();
    if (waits[2].revents != 0) ReadKeys();
    if (waits[0].revents != 0) TakeSignals();
    if (waits[1].revents != 0) HearLeader();
  }

  // --- input

  void ReadKeys() {
    const ssize_t got = read(0, buffer_.data(), buffer_.size());
    if (got <= 0) {
      if (got == 0 || (errno != EAGAIN && errno != EINTR)) user_.Restore();  // it hung up
      return;
    }
    input_.assign(buffer_.data(), static_cast<size_t>(got));
    NoteInterruption(input_);
    PassInput();
  }

  void PassInput() {
    if (relays_.empty() || !relays_.front().open()) return input_.clear();
    const ssize_t put = write(relays_.front().from(), input_.data(), input_.size());
    if (put > 0) input_.erase(0, static_cast<size_t>(put));
    if (put < 0 && errno != EAGAIN && errno != EINTR) input_.clear();
  }

  // A key that will become a signal in the program's terminal.
  void NoteInterruption(std::string_view keys) {
    termios settings = {};
    if (tcgetattr(relays_.front().from(), &settings) != 0 || (settings.c_lflag & ISIG) == 0) return;
    for (const char key : keys) {
      const auto code = static_cast<cc_t>(key);
      if (code == _POSIX_VDISABLE) continue;
      if (code == settings.c_cc[VINTR]) Interrupted(SIGINT);
      if (code == settings.c_cc[VQUIT]) Interrupted(SIGQUIT);
    }
  }

  void Interrupted(int number) {
    const Clock::time_point now = Clock::now();
    if (!end_.interrupted.empty() && now - last_interruption_ < kNewPatience) return;
    last_interruption_ = now;
    end_.interrupted = SignalName(number);
    end_.interrupted_at = Microseconds(now);
    if (watch_.on_interrupt) watch_.on_interrupt(command_, end_.interrupted);
  }

  // --- signals and the end

  void TakeSignals() {
    signalfd_siginfo info = {};
    while (read(signals_.get(), &info, sizeof(info)) == static_cast<ssize_t>(sizeof(info)))
      TakeSignal(static_cast<int>(info.ssi_signo), info);
  }

  void TakeSignal(int number, const signalfd_siginfo& info) {
    switch (number) {
      case SIGCHLD:
        return LookAtChild();
      case SIGWINCH:
        for (Relay& relay : relays_) {
          if (relay.terminal() && relay.open()) CopySize(own_terminal_ ? 0 : relay.to(), relay.from());
        }
        if (!own_terminal_) kill(command_, SIGWINCH);  // its own came perhaps before the size did
        return;
      case SIGCONT:
        return Continue();
      case SIGINT:
      case SIGQUIT:
      case SIGTERM:
      case SIGHUP:
        Interrupted(number);
        break;
      default:
        break;
    }
    // From the kernel: the terminal told the whole group. From the program: it need not hear itself.
    const bool heard =
        !own_terminal_ && (info.ssi_code > 0 || info.ssi_pid == static_cast<uint32_t>(command_));
    if (!heard && !ended_) kill(command_, number);
  }

  void Continue() {
    if (own_terminal_) {
      user_.GoRaw();
      if (!relays_.empty() && relays_.front().open()) {
        CopySize(0, relays_.front().from());
        const pid_t group = tcgetpgrp(relays_.front().from());
        if (group > 0) kill(-group, SIGCONT);
      }
    }
    if (!ended_) kill(command_, SIGCONT);
  }

  // The program was stopped: so is what the shell sees of it.
  void StopToo(int number) {
    user_.Restore();
    if (number == SIGSTOP) {
      raise(SIGSTOP);
    } else {
      sigset_t set, before;
      sigemptyset(&set);
      sigaddset(&set, SIGTSTP);
      kill(own_terminal_ ? 0 : getpid(), SIGTSTP);
      pthread_sigmask(SIG_UNBLOCK, &set, &before);  // here it stops, unless nobody could continue it
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
    Continue();
  }

  // In our own session: the command itself.
  void LookAtChild() {
    if (own_terminal_) return;  // its leader tells
    int status = 0;
    if (Uninterrupted([&] { return waitpid(child_, &status, WUNTRACED | WNOHANG); }) != child_) return;
    if (WIFSTOPPED(status)) return StopToo(WSTOPSIG(status));
    Ended(status);
  }

  void HearLeader() {
    LeaderWord word = {LeaderWord::kStatus, SIGKILL};
    const ssize_t got = read(told_.get(), &word, sizeof(word));
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got != static_cast<ssize_t>(sizeof(word))) word = {LeaderWord::kStatus, SIGKILL};  // it was killed
    if (WIFSTOPPED(word.value)) return StopToo(WSTOPSIG(word.value));
    Ended(word.value);
  }

  uint64_t Microseconds(Clock::time_point at) const {
    return static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(at - end_.start).count());
  }

  void Ended(int status) {
    ended_ = true;
    end_.duration = Microseconds(Clock::now());
    if (WIFSIGNALED(status)) {
      end_.signal_number = WTERMSIG(status);
      end_.signal = SignalName(end_.signal_number);
    } else {
      end_.exit_status = WEXITSTATUS(status);
    }
  }

  void Finish() {
    for (Relay& relay : relays_) {
      relay.Drain(watch_.on_output);
      end_.reader_left |= relay.reader_left();
    }
    user_.Restore();
    stay_.Close();
    Reap();
    for (Relay& relay : relays_) relay.LeaveBehind();
  }

  void Reap() {
    Uninterrupted([this] { return waitpid(child_, nullptr, 0); });
    leader_ = -1;
  }

  const TerminalRequest& request_;
  const TerminalWatch& watch_;
  TerminalEnd end_;
  UserTerminal user_{0};
  bool own_terminal_ = false, caught_ = false, ended_ = false;
  sigset_t mask_ = {};
  struct sigaction on_child_end_ = {};
  pid_t child_ = -1, command_ = -1, leader_ = -1;
  Descriptor signals_, told_, stay_;
  std::vector<Relay> relays_;
  std::string input_;
  Clock::time_point last_interruption_;
  Buffer buffer_;
};

}  // namespace

base::Result<TerminalEnd> RunInTerminal(const TerminalRequest& request, const TerminalWatch& watch) {
  if (request.command.empty()) return base::Fail(base::ErrorCode::kNotFound, "no command");
  return Session(request, watch).Run();
}

std::string NameOfSignal(int number) { return SignalName(number); }

std::string WhyNoEvents() { return "not available on this system"; }

void EndAs(const TerminalEnd& end) {
  std::fflush(nullptr);
  if (end.signal_number > 0) {
    const rlimit no_core = {0, 0};  // there is one of the program already, if the user wanted it
    setrlimit(RLIMIT_CORE, &no_core);
    struct sigaction plain = {};
    plain.sa_handler = SIG_DFL;
    sigaction(end.signal_number, &plain, nullptr);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, end.signal_number);
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    kill(getpid(), end.signal_number);
    std::_Exit(128 + end.signal_number);
  }
  std::_Exit(end.exit_status);
}

}  // namespace culprit::system

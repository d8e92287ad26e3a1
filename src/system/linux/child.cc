// Between fork and exec the child makes bare system calls only: this process has threads, and one of them may
// hold a lock of the C library at that moment. The child is reaped last of all, because while it is a zombie
// its number, and so that of its process group, cannot become another's.
#include "system/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#include "system/linux/descriptor.h"
#include "system/linux/exec_pointers.h"
#include "system/linux/signal_name.h"
#include "system/linux/uninterrupted.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434  // the same number on every architecture
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

namespace culprit::system {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
constexpr milliseconds kLastWords{2000};  // from SIGTERM to SIGKILL
constexpr int kGlance = 5;                // ms between two looks at the child where there is no pidfd_open

// All that the child needs, made ready before the fork.
struct Launch {
  const char* program;
  char* const* arguments;
  char* const* environment;
  const char* directory;  // nullptr: as it is
  int input, output, error, report;
  pid_t parent;
};

// What the child writes to `report` when it gets no further.
struct Refusal {
  int32_t in_directory;
  int32_t error;
};

[[noreturn]] void Refuse(const Launch& launch, bool in_directory) {
  const Refusal refusal{in_directory, errno};
  [[maybe_unused]] const ssize_t written = write(launch.report, &refusal, sizeof(refusal));
  _exit(127);
}

[[noreturn]] void BecomeProgram(const Launch& launch) {
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launch.parent) _exit(127);  // it went away before the line above

  struct sigaction plain = {};
  plain.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) sigaction(number, &plain, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);

  if (dup2(launch.input, 0) < 0 || dup2(launch.output, 1) < 0 || dup2(launch.error, 2) < 0)
    Refuse(launch, false);
  // At exec, not now: `program` may be /proc/self/fd/N, and `report` has to live until then.
  if (syscall(SYS_close_range, 3U, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */) != 0) {
    rlimit open_files = {};
    getrlimit(RLIMIT_NOFILE, &open_files);
    const int end = static_cast<int>(std::min<rlim_t>(open_files.rlim_cur, 65536));
    for (int fd = 3; fd < end; ++fd) fcntl(fd, F_SETFD, FD_CLOEXEC);
  }
  if (launch.directory != nullptr && chdir(launch.directory) != 0) Refuse(launch, true);
  execve(launch.program, launch.arguments, launch.environment);
  Refuse(launch, false);
}

class Child {
 public:
  Child(const ChildRequest& request, const ChildWatch& watch) : request_(request), watch_(watch) {}
  ~Child() {
    if (pid_ > 0) End();
  }

  base::Result<ChildEnd> Run() {
    const Clock::time_point start = Clock::now();
    if (auto failure = Start()) return std::unexpected(*std::move(failure));
    Renew();
    // Its write wakes the poll.
    const auto wake = [this] { eventfd_write(stop_.get(), 1); };
    const std::stop_callback on_stop(watch_.stop, wake), on_end(watch_.end, wake);
    if (auto failure = AwaitExec()) return std::unexpected(*std::move(failure));
    while (!HasEnded()) {
      if (!Step()) break;
    }
    ChildEnd end = End();
    // What it had written when it ended; a grandchild that has the pipe too is not listened to for longer.
    if (!enough_) Drain(error_.read, ChildStream::kError);
    if (!enough_) Drain(output_.read, ChildStream::kOutput);
    end.out_of_time = out_of_time_;
    end.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return end;
  }

 private:
  static base::Error NotStarted(const std::string& program, const std::string& why) {
    return {base::ErrorCode::kNotReadable, "cannot start " + program + ": " + why};
  }

  std::optional<base::Error> Start() {
    std::vector<std::string> arguments = {request_.program};
    arguments.insert(arguments.end(), request_.arguments.begin(), request_.arguments.end());
    std::vector<std::string> variables;
    if (request_.environment) {
      for (const auto& [name, value] : *request_.environment) variables.push_back(name + "=" + value);
    }
    const std::vector<char*> argument_pointers = Pointers(arguments);
    const std::vector<char*> variable_pointers = Pointers(variables);

    Pipe report;
    const char* input_file = request_.input_file.empty() ? "/dev/null" : request_.input_file.c_str();
    Descriptor input = Lift(open(input_file, O_RDONLY | O_CLOEXEC));
    stop_ = Lift(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!input || !stop_ || !Open(output_) || !Open(error_) || !Open(report))
      return NotStarted(request_.program, Words(errno));
    const Launch launch = {
        request_.program.c_str(),
        argument_pointers.data(),
        request_.environment ? variable_pointers.data() : environ,
        request_.working_directory.empty() ? nullptr : request_.working_directory.c_str(),
        input.get(),
        output_.write.get(),
        error_.write.get(),
        report.write.get(),
        getpid(),
    };
    // No handler of this process may run in the child.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_ = fork();
    const int error = errno;
    if (pid_ == 0) BecomeProgram(launch);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (pid_ < 0) return NotStarted(request_.program, Words(error));
    output_.write.Close();
    error_.write.Close();
    report_ = std::move(report.read);
    for (const Pipe* pipe : {&output_, &error_}) fcntl(pipe->read.get(), F_SETFL, O_NONBLOCK);
    pidfd_ = Lift(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0U)));
    return std::nullopt;
  }

  // The pipe closes at exec; a file system that does not answer may hold that up.
  std::optional<base::Error> AwaitExec() {
    pollfd wait = {report_.get(), POLLIN, 0};
    while (poll(&wait, 1, Milliseconds(deadline_)) <= 0) {
      if (Clock::now() < deadline_) continue;
      out_of_time_ = true;
      kill(pid_, SIGKILL);
      break;
    }
    Refusal refusal = {};
    const ssize_t got = Uninterrupted([&] { return read(report_.get(), &refusal, sizeof(refusal)); });
    report_.Close();
    if (got != static_cast<ssize_t>(sizeof(refusal))) return std::nullopt;
    End();
    if (refusal.in_directory)
      return NotStarted(request_.program, request_.working_directory + ": " + Words(refusal.error));
    if (refusal.error == ENOENT && access(request_.program.c_str(), F_OK) == 0)
      return NotStarted(request_.program, "its loader or interpreter does not exist");
    return NotStarted(request_.program, Words(refusal.error));
  }

  void Renew() {
    if (watch_.deadline) deadline_ = watch_.deadline();
  }

  static int Milliseconds(Clock::time_point until) {
    if (until == Clock::time_point::max()) return -1;
    const auto left = std::chrono::ceil<milliseconds>(until - Clock::now()).count();
    return static_cast<int>(std::clamp<int64_t>(left, 0, 3'600'000));
  }

  // Left as a zombie.
  bool HasEnded() const {
    siginfo_t info = {};
    constexpr int kAsItIs = WEXITED | WNOHANG | WNOWAIT;
    return Uninterrupted([&] { return waitid(P_PID, static_cast<id_t>(pid_), &info, kAsItIs); }) == 0 &&
           info.si_pid == pid_;
  }

  // Waits for something to happen and deals with it. False: it is to be ended now.
  bool Step() {
    std::array<pollfd, 4> waits = {pollfd{error_.read.get(), POLLIN, 0},  // -1 is passed over
                                   pollfd{output_.read.get(), POLLIN, 0}, pollfd{pidfd_.get(), POLLIN, 0},
                                   pollfd{stop_.get(), POLLIN, 0}};
    int timeout = Milliseconds(ending_ ? killed_at_ : deadline_);
    if (!pidfd_) timeout = timeout < 0 ? kGlance : std::min(timeout, kGlance);
    if (poll(waits.data(), waits.size(), timeout) > 0) {
      if (watch_.stop.stop_requested()) return false;
      eventfd_t asked = 0;
      if (waits[3].revents != 0) eventfd_read(stop_.get(), &asked);
      // Read in this order and passed on in the other, nothing of the error comes late.
      const std::string_view output = waits[1].revents != 0 ? Read(output_.read, output_buffer_) : "";
      const std::string_view error =
          waits[0].revents != 0 || !output.empty() ? Read(error_.read, buffer_) : "";
      if (!Pass(ChildStream::kError, error) || !Pass(ChildStream::kOutput, output)) return false;
      if (watch_.on_pause) watch_.on_pause();
    }
    const Clock::time_point now = Clock::now();
    if (ending_) return now < killed_at_;
    out_of_time_ = now >= deadline_;
    if (out_of_time_ || watch_.end.stop_requested()) {
      ending_ = true;
      killed_at_ = now + kLastWords;
      kill(pid_, SIGTERM);
    }
    return true;
  }

  using Buffer = std::array<char, 64 * 1024>;  // as much as a pipe holds

  // What is there now; closes it at its end.
  static std::string_view Read(Descriptor& from, Buffer& buffer) {
    if (!from) return {};
    const ssize_t got = read(from.get(), buffer.data(), buffer.size());
    if (got > 0) return {buffer.data(), static_cast<size_t>(got)};
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) from.Close();
    return {};
  }

  // False: the listener has heard enough.
  bool Pass(ChildStream stream, std::string_view bytes) {
    if (bytes.empty()) return true;
    enough_ = watch_.on_output && !watch_.on_output(stream, bytes);
    if (!enough_) Renew();
    return !enough_;
  }

  void Drain(Descriptor& from, ChildStream stream) {
    int left = from ? fcntl(from.get(), F_GETPIPE_SZ) : 0;
    while (left > 0) {
      const std::string_view bytes = Read(from, buffer_);
      if (bytes.empty() || !Pass(stream, bytes)) return;
      left -= static_cast<int>(bytes.size());
    }
  }

  // Kills what there is of it and its group, and reaps it.
  ChildEnd End() {
    const bool ended_itself = HasEnded();
    kill(-pid_, SIGKILL);
    kill(pid_, SIGKILL);  // should it not have its group yet
    int status = 0;
    Uninterrupted([&] { return waitpid(pid_, &status, 0); });
    pid_ = -1;
    ChildEnd end;
    if (WIFSIGNALED(status)) {
      end.signal = SignalName(WTERMSIG(status));
    } else {
      end.exit_status = WEXITSTATUS(status);
    }
    end.killed_here = !ended_itself;
    return end;
  }

  const ChildRequest& request_;
  const ChildWatch& watch_;
  pid_t pid_ = -1;
  Pipe output_, error_;
  Descriptor report_, pidfd_, stop_;
  Clock::time_point deadline_ = Clock::time_point::max();
  Clock::time_point killed_at_;
  bool out_of_time_ = false;
  bool ending_ = false;  // SIGTERM was sent
  bool enough_ = false;
  Buffer buffer_, output_buffer_;
};

}  // namespace

base::Result<ChildEnd> RunChild(const ChildRequest& request, const ChildWatch& watch) {
  return Child(request, watch).Run();
}

}  // namespace culprit::system

#include "system/linux/relay.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

namespace culprit::system {
namespace {

constexpr size_t kSafeWrite = 4096;  // that a pipe takes without blocking, when poll() says so (PIPE_BUF)
constexpr int kLastOutput = 40;      // ms to wait for more, where somebody else holds the terminal open
constexpr size_t kMostLastOutput = 4 << 20;

// Bare system calls from here on: it is a fork of a process that may have threads.
void WriteWhole(int to, const char* bytes, size_t size) {
  while (size > 0) {
    const ssize_t put = write(to, bytes, size);
    if (put > 0) {
      bytes += put;
      size -= static_cast<size_t>(put);
    } else if (put < 0 && errno == EAGAIN) {
      pollfd wait = {to, POLLOUT, 0};
      poll(&wait, 1, -1);
    } else if (put < 0 && errno == EPIPE) {
      _exit(0);  // who writes finds out as it would have
    } else if (put == 0 || errno != EINTR) {
      return;  // a full disk
    }
  }
}

// The only signal that reaches it is SIGTERM: those of the terminal are not for a daemon.
[[noreturn]] void PassOnUntilTheEnd(int from, int to) {
  sigset_t set;
  sigfillset(&set);
  sigdelset(&set, SIGTERM);
  sigprocmask(SIG_SETMASK, &set, nullptr);
  setsid();
  prctl(PR_SET_NAME, "culprit-output");
  if (dup2(to, 1) < 0 || dup2(from, 0) < 0 || chdir("/") != 0) _exit(1);
  if (syscall(SYS_close_range, 2U, ~0U, 0U) != 0) {
    for (int fd = 2; fd < 4096; ++fd) close(fd);
  }
  fcntl(0, F_SETFL, fcntl(0, F_GETFL) & ~O_NONBLOCK);
  char buffer[16 * 1024];
  while (true) {
    const ssize_t got = read(0, buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) _exit(0);
    WriteWhole(1, buffer, static_cast<size_t>(got));
  }
}

}  // namespace

Relay::Relay(ChildStreamEnds ends) : from_(std::move(ends.ours)), to_(ends.to), terminal_(ends.terminal) {
  if (terminal_) kept_open_ = std::move(ends.theirs);
  struct stat status = {};
  at_once_ = fstat(to_, &status) == 0 && S_ISREG(status.st_mode);
}

size_t Relay::Read(const OnOutput& on_output) {
  if (!from_) return 0;
  std::array<char, 64 * 1024> buffer;
  const ssize_t got = read(from_.get(), buffer.data(), buffer.size());
  if (got > 0) {
    const std::string_view bytes(buffer.data(), static_cast<size_t>(got));
    pending_ = bytes;
    WriteSome();
    if (on_output) on_output(bytes);
    return bytes.size();
  }
  if (got == 0 || (errno != EAGAIN && errno != EINTR)) from_.Close();
  return 0;
}

void Relay::WriteSome() {
  while (!pending_.empty()) {
    pollfd wait = {to_, POLLOUT, 0};
    if (!at_once_ && poll(&wait, 1, 0) == 0) return;
    const size_t most = at_once_ ? pending_.size() : std::min(pending_.size(), kSafeWrite);
    const ssize_t put = write(to_, pending_.data(), most);
    if (put > 0) {
      pending_.erase(0, static_cast<size_t>(put));
    } else if (put < 0 && errno == EAGAIN) {  // somebody made it so; it is his, too
      return;
    } else if (put < 0 && errno != EINTR && errno != EPIPE && to_ == 2) {
      pending_.clear();  // a full disk: messages are lost, and the program goes on as it would have
    } else if (put < 0 && errno != EINTR) {
      LoseReader(errno);
    }
  }
}

// The program finds out as it would have: its next write fails.
void Relay::LoseReader(int error) {
  if (error == EPIPE) {
    reader_left_ = true;
  } else if (to_ == 1) {
    std::fprintf(stderr, "culprit: standard output cannot be written: %s\n",
                 std::generic_category().message(error).c_str());
  }
  pending_.clear();
  kept_open_.Close();
  from_.Close();
}

void Relay::Drain(const OnOutput& on_output) {
  WriteAll();
  kept_open_.Close();
  for (size_t got = 0; from_ && got < kMostLastOutput;) {
    if (const size_t bytes = Read(on_output)) {
      got += bytes;
      WriteAll();
      continue;
    }
    // A pipe has everything at once, a terminal takes a moment.
    pollfd wait = {from_.get(), POLLIN, 0};
    if (!from_ || !terminal_ || poll(&wait, 1, kLastOutput) <= 0) break;
  }
  WriteAll();
}

void Relay::LeaveBehind() {
  if (!from_) return;  // its end was read
  pollfd wait = {from_.get(), POLLIN, 0};
  if (poll(&wait, 1, 0) > 0 && (wait.revents & (POLLIN | POLLHUP)) == POLLHUP) return;
  if (fork() == 0) PassOnUntilTheEnd(from_.get(), to_);
}

void Relay::WriteAll() {
  while (!pending_.empty()) {
    pollfd wait = {to_, POLLOUT, 0};
    poll(&wait, 1, -1);
    WriteSome();
  }
}

}  // namespace culprit::system

#include "system/linux/user_terminal.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace culprit::system {
namespace {

// Should the shell take the terminal away in between, a process in the background would be stopped for this.
void Set(int fd, const termios& settings) {
  sigset_t set, before;
  sigemptyset(&set);
  sigaddset(&set, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &set, &before);
  tcsetattr(fd, TCSADRAIN, &settings);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

bool UserTerminal::InForeground() const { return tcgetpgrp(fd_) == getpgrp(); }

bool UserTerminal::Settings(termios& settings) const {
  if (raw_) settings = kept_;
  return raw_ || tcgetattr(fd_, &settings) == 0;
}

void UserTerminal::GoRaw() {
  if (raw_ || !InForeground() || tcgetattr(fd_, &kept_) != 0) return;
  termios settings = kept_;
  cfmakeraw(&settings);
  Set(fd_, settings);
  raw_ = true;
}

void UserTerminal::Restore() {
  if (!raw_) return;
  raw_ = false;
  if (InForeground()) Set(fd_, kept_);
}

bool CopySize(int from, int terminal) {
  winsize size = {};
  return ioctl(from, TIOCGWINSZ, &size) == 0 && ioctl(terminal, TIOCSWINSZ, &size) == 0;
}

}  // namespace culprit::system

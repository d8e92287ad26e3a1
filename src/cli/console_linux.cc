// On Linux a terminal needs no preparation; broken streams do.
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "cli/console.h"

namespace culprit::cli {
namespace {

// A handler and not SIG_IGN, which the programs that we start would inherit.
void StayAlive(int) {}

void OnReaderLeft(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(SIGPIPE, &action, nullptr);
}

// A program that runs for milliseconds gives no memory back before it ends.
void KeepMemory() {
#ifdef __GLIBC__
  constexpr int kMegabyte = 1 << 20;
  mallopt(M_TOP_PAD, kMegabyte);
  mallopt(M_TRIM_THRESHOLD, 64 * kMegabyte);
  mallopt(M_MMAP_THRESHOLD, 32 * kMegabyte);
#endif
}

}  // namespace

void PrepareConsole() {
  KeepMemory();
  // Reading and writing through O_PATH fails with EBADF, as it would for a closed stream.
  for (int fd = 0; fd < 3; ++fd) {
    if (fcntl(fd, F_GETFD) < 0) [[maybe_unused]]
      const int taken = open("/", O_PATH | O_CLOEXEC);
  }
  struct sigaction inherited = {};
  if (sigaction(SIGPIPE, nullptr, &inherited) == 0 && inherited.sa_handler == SIG_DFL)
    OnReaderLeft(StayAlive);
}

void EndAsReaderLeft() {
  struct sigaction now = {};
  if (sigaction(SIGPIPE, nullptr, &now) != 0 || now.sa_handler == SIG_IGN) return;
  OnReaderLeft(SIG_DFL);
  kill(getpid(), SIGPIPE);
}

std::vector<std::string> Arguments(int argc, char** argv) { return {argv, argv + argc}; }

bool IsTerminal(FILE* stream) { return isatty(fileno(stream)) == 1; }

bool ShowsColors(FILE* stream) { return IsTerminal(stream); }

FILE* OpenForWriting(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  return fd < 0 ? nullptr : fdopen(fd, "wb");
}

bool MakeFolder(const std::string& path) {
  if (mkdir(path.c_str(), 0777) == 0) return true;
  struct stat found{};
  if (errno != EEXIST || stat(path.c_str(), &found) != 0) return false;
  errno = ENOTDIR;
  return S_ISDIR(found.st_mode);
}

FILE* OpenForEverybody(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  return fd < 0 ? nullptr : fdopen(fd, "wb");
}

void EndAtOnce(int status) {
  std::fflush(nullptr);
  std::_Exit(status);
}

}  // namespace culprit::cli

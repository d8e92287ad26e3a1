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

bool ReplaceFile(const std::string& path, const std::string& bytes) {
  struct stat found{};
  const bool there = stat(path.c_str(), &found) == 0;
  const bool in_place = there && !S_ISREG(found.st_mode);
  // Next to the target, which may be behind a symlink.
  char* const real = there && !in_place ? realpath(path.c_str(), nullptr) : nullptr;
  const std::string target = real != nullptr ? real : path;
  std::free(real);
  const size_t slash = target.rfind('/');
  const size_t name = slash == std::string::npos ? 0 : slash + 1;
  // The collector ignores hidden files and files that do not end in .prom.
  std::string fresh = target.substr(0, name) + "." + target.substr(name) + ".XXXXXX";
  const int fd = in_place ? open(path.c_str(), O_WRONLY | O_CLOEXEC) : mkostemp(fresh.data(), O_CLOEXEC);
  if (fd < 0) return false;
  bool ok = in_place || fchmod(fd, there ? found.st_mode & 0777 : 0644) == 0;
  for (size_t done = 0; ok && done < bytes.size();) {
    const ssize_t written = write(fd, bytes.data() + done, bytes.size() - done);
    ok = written > 0 || (written < 0 && errno == EINTR);
    done += written > 0 ? static_cast<size_t>(written) : 0;
  }
  ok &= in_place || fsync(fd) == 0;
  ok &= close(fd) == 0;
  ok = ok && (in_place || rename(fresh.c_str(), target.c_str()) == 0);
  if (!ok && !in_place) {
    const int why = errno;
    unlink(fresh.c_str());
    errno = why;
  }
  return ok;
}

void EndAtOnce(int status) {
  std::fflush(nullptr);
  std::_Exit(status);
}

}  // namespace culprit::cli

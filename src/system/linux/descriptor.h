// An open file descriptor that closes itself, and a pipe of two.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <system_error>
#include <utility>

namespace culprit::system {

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { Close(); }
  void Close() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }
  int Release() { return std::exchange(fd_, -1); }
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

// errno in words.
inline std::string Words(int error) { return std::generic_category().message(error); }

// Above the three standard ones, which may be closed in this process: dup2 onto them would then close ours.
inline Descriptor Lift(int fd) {
  if (fd < 0 || fd > 2) return Descriptor(fd);
  Descriptor low(fd);
  return Descriptor(fcntl(fd, F_DUPFD_CLOEXEC, 3));
}

struct Pipe {
  Descriptor read, write;
};

inline bool Open(Pipe& pipe) {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) return false;
  pipe.read = Lift(fds[0]);
  pipe.write = Lift(fds[1]);
  return pipe.read && pipe.write;
}

}  // namespace culprit::system

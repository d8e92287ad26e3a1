// See child.h. Output goes to files in memory, so nothing blocks on a pipe.
#include "child.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace culprit::gold {
namespace {

class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : fd_(memfd_create(name, MFD_CLOEXEC)) {
    if (fd_ < 0) throw std::runtime_error("memfd_create failed");
  }
  ~MemoryFile() { close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  int fd() const { return fd_; }
  std::string Contents() const {
    std::string text(static_cast<size_t>(lseek(fd_, 0, SEEK_END)), '\0');
    const ssize_t got = pread(fd_, text.data(), text.size(), 0);
    text.resize(got < 0 ? 0 : static_cast<size_t>(got));
    return text;
  }

 private:
  int fd_;
};

}  // namespace

Ran Spawn(const std::string& file, const std::string& name, const std::vector<std::string>& arguments,
          const std::map<std::string, std::string>& environment, const std::string& working_directory,
          int timeout_ms) {
  const MemoryFile out("out"), err("err"), events("events");
  std::vector<char*> argv = {const_cast<char*>(name.c_str())};
  for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::vector<std::string> variables;
  for (const auto& [key, value] : environment) variables.push_back(key + "=" + value);
  std::vector<char*> envp;
  for (auto& variable : variables) envp.push_back(variable.data());
  envp.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.fd(), 1);
  posix_spawn_file_actions_adddup2(&actions, err.fd(), 2);
  posix_spawn_file_actions_adddup2(&actions, events.fd(), 9);
  posix_spawn_file_actions_addchdir_np(&actions, working_directory.c_str());
  pid_t child = 0;
  const int error = posix_spawn(&child, file.c_str(), &actions, nullptr, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot start " + file + ": " + std::strerror(error));

  Ran ran;
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  if (handle >= 0) {
    pollfd wait{handle, POLLIN, 0};
    int ready = 0;
    do ready = poll(&wait, 1, timeout_ms);
    while (ready < 0 && errno == EINTR);
    if (ready == 0) {
      ran.timed_out = true;
      kill(child, SIGKILL);
    }
    close(handle);
  }
  while (waitpid(child, &ran.status, 0) < 0 && errno == EINTR) {
  }
  ran.out = out.Contents();
  ran.err = err.Contents();
  ran.events = events.Contents();
  return ran;
}

std::string ReadFile(const std::string& path) {
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  if (!stream) throw std::runtime_error("cannot read " + path);
  std::string text(static_cast<size_t>(stream.tellg()), '\0');
  stream.seekg(0);
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  return text;
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

void ReplaceAll(std::string& text, const std::string& from, const std::string& to) {
  if (from.empty()) return;
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

}  // namespace culprit::gold

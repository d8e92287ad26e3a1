// See child.h.
#include "child.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "start.h"

namespace culprit::gold {
namespace {

// Waits for it to end. False if it had to be killed.
bool EndsInTime(pid_t child, int timeout_ms) {
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  if (handle < 0) return true;
  pollfd wait{handle, POLLIN, 0};
  int ready = 0;
  do ready = poll(&wait, 1, timeout_ms);
  while (ready < 0 && errno == EINTR);
  if (ready == 0) kill(child, SIGKILL);
  close(handle);
  return ready != 0;
}

}  // namespace

Ran Spawn(const std::string& file, const std::string& name, const std::vector<std::string>& arguments,
          const std::map<std::string, std::string>& environment, const std::string& working_directory,
          int timeout_ms) {
  const Output output;
  ExecWords argv = ArgumentsOf(name, arguments), envp = VariablesOf(environment);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output.out.fd(), 1);
  posix_spawn_file_actions_adddup2(&actions, output.err.fd(), 2);
  posix_spawn_file_actions_adddup2(&actions, output.events.fd(), 9);
  posix_spawn_file_actions_addchdir_np(&actions, working_directory.c_str());
  pid_t child = 0;
  const int error = posix_spawn(&child, file.c_str(), &actions, nullptr, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot start " + file + ": " + std::strerror(error));

  Ran ran;
  ran.timed_out = !EndsInTime(child, timeout_ms);
  while (waitpid(child, &ran.status, 0) < 0 && errno == EINTR) {
  }
  output.CopyTo(ran);
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

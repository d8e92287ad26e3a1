// See open_tracer.h.
#include "open_tracer.h"

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "start.h"

namespace culprit::gold {
namespace {

constexpr unsigned kSeconds = 20;

// A string of the traced process; read in small pieces, because it may be at the end of a page.
std::string ReadString(pid_t pid, uint64_t address) {
  std::string text;
  char piece[64];
  while (text.size() < 8192) {
    const size_t size = sizeof piece - (address + text.size()) % sizeof piece;
    const iovec local{piece, size};
    const iovec remote{reinterpret_cast<void*>(address + text.size()), size};
    const ssize_t got = process_vm_readv(pid, &local, 1, &remote, 1, 0);
    if (got <= 0) break;
    const char* const begin = piece;
    const char* const end = std::find(begin, begin + got, '\0');
    text.append(begin, end);
    if (end != begin + got) break;
  }
  return text;
}

[[noreturn]] void RunChild(const std::string& file, char** argv, char** envp,
                           const std::string& working_directory, const Output& output) {
  ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  alarm(kSeconds);
  const int null = open("/dev/null", O_RDONLY);
  dup2(null, 0);
  dup2(output.out.fd(), 1);
  dup2(output.err.fd(), 2);
  dup2(output.events.fd(), 9);
  if (chdir(working_directory.c_str()) == 0) execve(file.c_str(), argv, envp);
  _exit(126);
}

}  // namespace

TracedRun SpawnTraced(const std::string& file, const std::string& name,
                      const std::vector<std::string>& arguments,
                      const std::map<std::string, std::string>& environment,
                      const std::string& working_directory) {
  ExecWords argv = ArgumentsOf(name, arguments), envp = VariablesOf(environment);
  const Output output;
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) RunChild(file, argv.data(), envp.data(), working_directory, output);
  TracedRun result;
  int status = 0;
  waitpid(child, &status, 0);  // stops at the end of execve
  if (WIFSTOPPED(status)) {
    ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
    ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
  }
  while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
    intptr_t signal = WSTOPSIG(status);
    if (signal == (SIGTRAP | 0x80)) {
      signal = 0;
      __ptrace_syscall_info info;
      std::memset(&info, 0, sizeof info);
      const bool told =
          ptrace(PTRACE_GET_SYSCALL_INFO, child, reinterpret_cast<void*>(sizeof info), &info) > 0;
      if (told && info.op == PTRACE_SYSCALL_INFO_ENTRY) {
        if (info.entry.nr == SYS_openat)
          result.opens.push_back({ReadString(child, info.entry.args[1]), output.events.size()});
#ifdef SYS_open
        if (info.entry.nr == SYS_open)
          result.opens.push_back({ReadString(child, info.entry.args[0]), output.events.size()});
#endif
      }
    }
    ptrace(PTRACE_SYSCALL, child, nullptr, reinterpret_cast<void*>(signal));
  }
  result.ran.status = status;
  result.ran.timed_out = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
  output.CopyTo(result.ran);
  return result;
}

}  // namespace culprit::gold

#include "run/watch/threads.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "base/text.h"

namespace culprit::watch {
namespace {

constexpr uint64_t kLimit = 64 << 10;
constexpr size_t kMaxThreads = 512;
constexpr size_t kMostProcessesRead = 256;

std::string ReadSmall(const system::System& machine, const std::string& path) {
  const auto text = system::ReadWholeFile(machine, path, kLimit);
  return text ? std::string(base::Trim(*text)) : "";
}

int64_t NumberOrNone(std::string_view text) {
  int64_t number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

struct Status {
  std::string state;
  int64_t parent = 0;
};

// "4711 (a name) S 1 ...": the name may contain anything, even a ')'.
Status ParseStat(const std::string& stat) {
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return {};
  const std::vector<std::string> words = base::SplitWords(stat.substr(name_end + 1), " ");
  if (words.size() < 2) return {};
  return {words[0], NumberOrNone(words[1])};
}

struct SystemCall {
  int x86_64, aarch64;
  const char* name;
};
// The ones that a program waits in.
constexpr SystemCall kSystemCalls[] = {
    {0, 63, "read"},
    {1, 64, "write"},
    {7, -1, "poll"},
    {16, 29, "ioctl"},
    {17, 67, "pread64"},
    {18, 68, "pwrite64"},
    {19, 65, "readv"},
    {20, 66, "writev"},
    {23, -1, "select"},
    {24, 124, "sched_yield"},
    {28, 233, "madvise"},
    {34, -1, "pause"},
    {35, 101, "nanosleep"},
    {42, 203, "connect"},
    {43, 202, "accept"},
    {44, 206, "sendto"},
    {45, 207, "recvfrom"},
    {46, 211, "sendmsg"},
    {47, 212, "recvmsg"},
    {61, 260, "wait4"},
    {65, 193, "semop"},
    {70, 188, "msgrcv"},
    {72, 25, "fcntl"},
    {73, 32, "flock"},
    {74, 82, "fsync"},
    {9, 222, "mmap"},
    {11, 215, "munmap"},
    {128, 137, "rt_sigtimedwait"},
    {130, 133, "rt_sigsuspend"},
    {202, 98, "futex"},
    {208, 4, "io_getevents"},
    {219, 128, "restart_syscall"},
    {220, 192, "semtimedop"},
    {230, 115, "clock_nanosleep"},
    {232, -1, "epoll_wait"},
    {247, 95, "waitid"},
    {257, 56, "openat"},
    {270, 72, "pselect6"},
    {271, 73, "ppoll"},
    {281, 22, "epoll_pwait"},
    {288, 242, "accept4"},
    {299, 243, "recvmmsg"},
    {426, 426, "io_uring_enter"},
    {441, 441, "epoll_pwait2"},
    {449, 449, "futex_waitv"},
};

// "202 0x7f.. ...", "running", "-1 0x.. 0x..".
std::string SystemCallOf(const std::string& line, bool aarch64) {
  const int64_t number = NumberOrNone(line);
  if (number < 0) return "";
  for (const SystemCall& call : kSystemCalls) {
    if ((aarch64 ? call.aarch64 : call.x86_64) == number) return call.name;
  }
  return "system call " + std::to_string(number);
}

// The process itself, then its descendants.
std::vector<int64_t> Tree(const system::System& machine, int64_t process) {
  std::map<int64_t, std::vector<int64_t>> children;
  if (const auto entries = machine.List("/proc")) {
    for (const auto& entry : *entries) {
      const int64_t id = NumberOrNone(entry.name);
      if (id > 0)
        children[ParseStat(ReadSmall(machine, "/proc/" + entry.name + "/stat")).parent].push_back(id);
    }
  }
  std::vector<int64_t> tree = {process};
  for (size_t i = 0; i < tree.size() && tree.size() < kMostProcessesRead; ++i) {
    for (const int64_t child : children[tree[i]]) tree.push_back(child);
  }
  return tree;
}

}  // namespace

std::vector<record::Thread> ThreadsOf(const system::System& machine, int64_t process) {
  const bool aarch64 = machine.HostCpu().machine == "aarch64";
  std::vector<record::Thread> threads;
  for (const int64_t id : Tree(machine, process)) {
    const std::string tasks = "/proc/" + std::to_string(id) + "/task";
    const auto entries = machine.List(tasks);
    if (!entries) continue;
    for (const auto& entry : *entries) {
      if (threads.size() >= kMaxThreads) return threads;
      const std::string task = tasks + "/" + entry.name;
      const Status status = ParseStat(ReadSmall(machine, task + "/stat"));
      if (status.state.empty()) continue;
      const std::string waits_in = ReadSmall(machine, task + "/wchan");
      threads.push_back({.process = id,
                         .thread = NumberOrNone(entry.name),
                         .name = ReadSmall(machine, task + "/comm"),
                         .state = status.state,
                         .system_call = SystemCallOf(ReadSmall(machine, task + "/syscall"), aarch64),
                         .waits_in = waits_in == "0" ? "" : waits_in});
    }
  }
  return threads;
}

}  // namespace culprit::watch

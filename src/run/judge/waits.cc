// What a program was waiting for when it was interrupted: a CUDA call that had not returned, or what its
// threads were doing in the kernel.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "run/judge/parts.h"

namespace culprit::run {
namespace {

using report::RunWait;

constexpr size_t kMostThreads = 8;

bool OneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

// A system call in plain words.
std::string Doing(const record::Thread& thread) {
  const std::string& call = thread.system_call;
  if (call.empty()) {
    if (thread.state == "R") return "computing, not in a system call";
    return thread.waits_in.empty() || thread.waits_in == "0" ? "" : "in the kernel: " + thread.waits_in;
  }
  const std::string named =
      " (" + call + (thread.waits_in.empty() || thread.waits_in == "0" ? "" : ", " + thread.waits_in) + ")";
  if (OneOf(call, {"futex", "futex_wait", "futex_waitv"}))
    return "waiting for another thread or a lock" + named;
  if (OneOf(call, {"wait4", "waitid", "waitpid"})) return "waiting for a child process" + named;
  if (OneOf(call, {"nanosleep", "clock_nanosleep"})) return "sleeping" + named;
  if (OneOf(call, {"recvfrom", "recvmsg", "recvmmsg", "accept", "accept4", "connect", "sendto", "sendmsg"}))
    return "waiting for the network" + named;
  if (OneOf(call, {"poll", "ppoll", "select", "pselect6", "epoll_wait", "epoll_pwait", "epoll_pwait2"}))
    return "waiting for the network, a pipe or a timer" + named;
  if (OneOf(call, {"read", "readv", "pread64", "write", "writev", "pwrite64"}))
    return "reading or writing a file, pipe or terminal" + named;
  if (call == "ioctl" && thread.waits_in.find("nv") != std::string::npos) return "in the driver" + named;
  return "in the system call " + call;
}

std::string StateWords(const std::string& state) {
  if (state == "D") return "uninterruptible: waiting for a device or a file system";
  if (state == "R") return "running";
  if (state == "T" || state == "t") return "stopped";
  if (state == "Z") return "already dead";
  return state == "S" ? "sleeping" : state;
}

}  // namespace

std::vector<RunWait> WaitsOf(const record::Run& run) {
  std::vector<RunWait> waits;
  if (run.interrupted.empty()) return waits;
  const uint64_t over = OverAt(run);
  for (const record::Process& process : run.processes) {
    for (const record::OpenCall& call : process.open_calls) {
      waits.push_back({.seconds = call.since < over ? Seconds(over - call.since) : 0,
                       .process = ProcessName(run, process),
                       .thread = fmt::format("thread {}", call.thread),
                       .function = call.function,
                       .state = "has not returned",
                       .in_call = true});
    }
  }
  std::ranges::sort(waits, std::ranges::greater(), &RunWait::seconds);
  if (waits.size() > kMostThreads) waits.resize(kMostThreads);
  // The main threads, and threads that hang in the kernel; idle worker threads are left out.
  std::vector<const record::Thread*> threads;
  for (const record::Thread& thread : run.threads) {
    if (thread.thread == thread.process || thread.state == "D") threads.push_back(&thread);
  }
  if (threads.size() > kMostThreads) threads.resize(kMostThreads);
  for (const record::Thread* thread : threads) {
    const record::Process* process = FindProcess(run, thread->process, over);
    const std::string doing = Doing(*thread);
    if (doing.empty()) continue;
    waits.push_back({.seconds = 0,
                     .process = process == nullptr ? fmt::format("process {}", thread->process)
                                                   : ProcessName(run, *process),
                     .thread = thread->thread == thread->process ? "main thread"
                                                                 : fmt::format("thread {}", thread->thread),
                     .function = doing,
                     .state = StateWords(thread->state)});
  }
  return waits;
}

std::string WaitWords(const report::RunReport& report, const record::Run& run) {
  const std::string by = run.interrupted == "SIGINT" ? "the user (SIGINT)" : run.interrupted;
  std::string words = fmt::format("stopped by {} after {}", by, Lasting(Seconds(OverAt(run))));
  if (report.waits.empty()) return words + "; what it was doing is unknown";
  const RunWait& first = report.waits.front();
  if (!first.in_call) {
    return words + fmt::format(": its {} was {}", first.thread, first.function);
  }
  words += fmt::format(": {} had not returned for {}", first.function, Lasting(first.seconds));
  if (first.function.find("Synchronize") != std::string::npos ||
      first.function.find("EventQuery") != std::string::npos ||
      first.function.find("Memcpy") != std::string::npos) {
    const bool collective = std::ranges::any_of(report.loads, [](const report::RunLoad& load) {
      return base::BaseName(load.path).starts_with("libnccl.so");
    });
    words += collective ? ", so the GPU had not finished: a kernel that never ends, or an NCCL collective "
                          "waiting for another rank"
                        : ", so the GPU had not finished: a kernel that never ends";
  }
  return words;
}

}  // namespace culprit::run

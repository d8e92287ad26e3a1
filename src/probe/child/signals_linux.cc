// The handlers run in a process that is already broken: no memory is taken, files are found by reading
// /proc/self/maps instead of asking the loader, who may hold its lock. Only the walk up the stack trusts the
// process; it comes with a first answer at hand, and should it fault or take two seconds, that one is told.
#include <fcntl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "probe/child/channel.h"
#include "probe/child/signals.h"

namespace culprit::prober {
namespace {

constexpr size_t kPathSize = 4096;

int g_channel = -1;
std::atomic<long> g_thread{0};  // the first that came here
char g_program[kPathSize];      // this executable
char g_blamed[kPathSize];       // the best answer so far
int g_signal = 0;               // that the line is about

const char* SignalName(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "SIGSEGV";
    case SIGBUS:
      return "SIGBUS";
    case SIGILL:
      return "SIGILL";
    case SIGFPE:
      return "SIGFPE";
    default:
      return "SIGABRT";
  }
}

[[noreturn]] void Farewell() {
  static char line[3 * kPathSize + 32];
  size_t size = 0;
  const auto add = [&size](const char* words) {
    while (*words != '\0') line[size++] = *words++;
  };
  if (g_signal == SIGTERM) {
    add("stuck ");
  } else {
    add("crash ");
    add(SignalName(g_signal));
    add(" ");
  }
  if (g_blamed[0] == '\0') add("%");
  for (const char* c = g_blamed; *c != '\0'; ++c) {
    const auto byte = static_cast<unsigned char>(*c);
    if (byte > ' ' && byte < 127 && byte != '%') {
      line[size++] = *c;
    } else {
      constexpr char kHex[] = "0123456789ABCDEF";
      line[size++] = '%';
      line[size++] = kHex[byte >> 4];
      line[size++] = kHex[byte & 15];
    }
  }
  line[size++] = '\n';
  WriteAll(g_channel, {line, size});
  EndNow(128 + g_signal);
}

// A file in the memory of this process.
struct Mapping {
  uintptr_t start = 0, end = 0;
  bool code = false;
  const char* path = nullptr;
};

// A line of /proc/self/maps: "start-end perms offset device inode   path". False when it is no file's.
bool ReadMapping(const char* line, Mapping& mapping) {
  char* rest = nullptr;
  mapping.start = strtoull(line, &rest, 16);
  if (*rest != '-') return false;
  mapping.end = strtoull(rest + 1, &rest, 16);
  mapping.code = strlen(rest) > 4 && rest[3] == 'x';
  mapping.path = strchr(rest, '/');
  return mapping.path != nullptr;
}

// Until `visit` returns true; whether it did.
bool FindMapping(bool (*visit)(const Mapping&, void*), void* argument) {
  const int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (maps < 0) return false;
  static char buffer[2 * kPathSize];
  size_t filled = 0;
  bool found = false;
  while (!found) {
    const ssize_t got = read(maps, buffer + filled, sizeof(buffer) - 1 - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    filled += static_cast<size_t>(got);
    buffer[filled] = '\0';
    char* line = buffer;
    while (char* newline = found ? nullptr : strchr(line, '\n')) {
      *newline = '\0';
      Mapping mapping;
      found = ReadMapping(line, mapping) && visit(mapping, argument);
      line = newline + 1;
    }
    filled = static_cast<size_t>(buffer + filled - line);
    memmove(buffer, line, filled);
    if (filled == sizeof(buffer) - 1) filled = 0;  // no path is that long
  }
  close(maps);
  return found;
}

struct Question {
  uintptr_t address;
  char* path;
};

// The file that is mapped at `address`.
bool FileAt(uintptr_t address, char* path) {
  Question question{address, path};
  return FindMapping(
      [](const Mapping& mapping, void* argument) {
        const auto* asked = static_cast<const Question*>(argument);
        if (asked->address < mapping.start || asked->address >= mapping.end) return false;
        strncpy(asked->path, mapping.path, kPathSize - 1);
        asked->path[kPathSize - 1] = '\0';
        return true;
      },
      &question);
}

// Through whom a crash passes without being its cause.
bool IsBystander(const char* path) {
  if (strcmp(path, g_program) == 0) return true;
  const char* slash = strrchr(path, '/');
  const char* name = slash != nullptr ? slash + 1 : path;
  constexpr const char* kBystanders[] = {"libc.so",   "libc-",    "libpthread", "ld-",
                                         "libstdc++", "libgcc_s", "libm.so",    "libdl",
                                         "librt",     "libasan",  "libtsan",    "libubsan"};
  for (const char* bystander : kBystanders) {
    if (strncmp(name, bystander, strlen(bystander)) == 0) return true;
  }
  return false;
}

bool Blame(uintptr_t address) {
  static char path[kPathSize];
  if (address == 0 || !FileAt(address, path)) return false;
  if (g_blamed[0] == '\0' || (IsBystander(g_blamed) && !IsBystander(path))) {
    memcpy(g_blamed, path, kPathSize);
  }
  return !IsBystander(g_blamed);
}

_Unwind_Reason_Code OnFrame(_Unwind_Context* context, void* frames) {
  int before = 0;
  const auto address = static_cast<uintptr_t>(_Unwind_GetIPInfo(context, &before));
  // A return address may be the first byte behind its function.
  if (Blame(before != 0 || address == 0 ? address : address - 1)) return _URC_END_OF_STACK;
  return ++*static_cast<int*>(frames) > 200 ? _URC_END_OF_STACK : _URC_NO_REASON;
}

struct CodeRanges {
  struct Range {
    uintptr_t start, end;
  } ranges[512];
  size_t count = 0;
};

// As it is, also where a sanitizer has marked it as nobody's.
__attribute__((noinline, no_sanitize("address"))) uintptr_t WordAt(uintptr_t address) {
  return *reinterpret_cast<const volatile uintptr_t*>(address);
}

// For a library without the tables that the walk needs: the nearest word on the stack that points into code
// of somebody who could be the cause. It may be left over from an earlier call, so it is asked last.
void BlameByStack(uintptr_t stack) {
  static CodeRanges code;
  FindMapping(
      [](const Mapping& mapping, void* argument) {
        auto* all = static_cast<CodeRanges*>(argument);
        if (mapping.code && !IsBystander(mapping.path))
          all->ranges[all->count++] = {mapping.start, mapping.end};
        return all->count == std::size(all->ranges);
      },
      &code);
  constexpr size_t kWords = 1024;
  for (size_t i = 0; stack != 0 && i < kWords; ++i) {
    const uintptr_t word = WordAt(stack + i * sizeof(uintptr_t));
    for (size_t r = 0; r < code.count; ++r) {
      if (word > code.ranges[r].start && word < code.ranges[r].end && Blame(word)) return;
    }
  }
}

struct Registers {
  uintptr_t counter = 0;  // where it was
  uintptr_t caller = 0;   // from where it came, should `counter` be no code at all
  uintptr_t stack = 0;
};

Registers RegistersOf(void* context) {
  const auto* machine = &static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  const auto stack = static_cast<uintptr_t>(machine->gregs[REG_RSP]);
  return {static_cast<uintptr_t>(machine->gregs[REG_RIP]), 0, stack};  // the caller is on the stack
#elif defined(__aarch64__)
  return {machine->pc, machine->regs[30], machine->sp};
#else
  (void)machine;
  return {};
#endif
}

// Each way of finding out may itself fault: then the handler begins anew with the next one.
std::atomic<int> g_ways_tried{0};
Registers g_registers;

void FindOut() {
  if (g_ways_tried.exchange(1) == 0) {
    if (Blame(g_registers.counter)) return;
    if (g_registers.counter == 0 && Blame(g_registers.caller)) return;
    int frames = 0;
    _Unwind_Backtrace(OnFrame, &frames);
    if (!IsBystander(g_blamed) && g_blamed[0] != '\0') return;
  }
  if (g_ways_tried.exchange(2) == 1) BlameByStack(g_registers.stack);
}

void OnSignal(int signal, siginfo_t* info, void* context) {
  const long thread = syscall(SYS_gettid);
  long first = 0;
  if (g_thread.compare_exchange_strong(first, thread)) {
    g_signal = signal;
    g_registers = RegistersOf(context);
    alarm(2);
    // Reading a file that is shorter than its headers say: the file counts, not who read it.
    if (signal == SIGBUS && Blame(reinterpret_cast<uintptr_t>(info->si_addr))) Farewell();
  } else if (first != thread) {
    while (true) pause();  // another thread is telling already
  }
  FindOut();
  Farewell();
}

void OnAlarm(int) {
  if (g_signal != 0) Farewell();
}

}  // namespace

void WatchSignals(int descriptor) {
  g_channel = descriptor;
  const ssize_t size = readlink("/proc/self/exe", g_program, sizeof(g_program) - 1);
  if (size > 0) g_program[size] = '\0';

  alignas(64) static char stack[256 * 1024];  // a fault may be the end of the ordinary one
  stack_t alternate{};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof(stack);
  sigaltstack(&alternate, nullptr);

  struct sigaction action{};
  action.sa_sigaction = OnSignal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTERM}) {
    sigaction(signal, &action, nullptr);
  }
  struct sigaction on_alarm{};
  on_alarm.sa_handler = OnAlarm;
  on_alarm.sa_flags = SA_ONSTACK | SA_NODEFER;
  sigaction(SIGALRM, &on_alarm, nullptr);

  // One who was started with signals blocked or ignored hands that on.
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace culprit::prober

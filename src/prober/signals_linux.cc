// The handlers run in a process that is already broken: no memory is taken, files are found by reading
// /proc/self/maps instead of asking the loader, who may hold its lock. Only the walk up the stack trusts the
// process; it comes last, with a first answer at hand, and a second fault or two seconds end it.
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

#include "prober/channel.h"
#include "prober/signals.h"

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

// One line of /proc/self/maps: "start-end perms offset device inode   path". True when `address` is in it and
// it is a file.
bool LineHolds(char* line, uintptr_t address, char* path) {
  char* rest = nullptr;
  const uintptr_t start = strtoull(line, &rest, 16);
  if (*rest != '-') return false;
  const uintptr_t end = strtoull(rest + 1, &rest, 16);
  if (address < start || address >= end) return false;
  const char* file = strchr(rest, '/');
  if (file == nullptr) return false;
  strncpy(path, file, kPathSize - 1);
  path[kPathSize - 1] = '\0';
  return true;
}

// The file that is mapped at `address`.
bool FileAt(uintptr_t address, char* path) {
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
    while (char* newline = strchr(line, '\n')) {
      *newline = '\0';
      if (!found) found = LineHolds(line, address, path);
      line = newline + 1;
    }
    filled = static_cast<size_t>(buffer + filled - line);
    memmove(buffer, line, filled);
    if (filled == sizeof(buffer) - 1) filled = 0;  // no path is that long
  }
  close(maps);
  return found;
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

struct Registers {
  uintptr_t counter = 0;  // where it was
  uintptr_t caller = 0;   // from where it came, should `counter` be no code at all
};

Registers RegistersOf(void* context) {
  const auto* machine = &static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  Registers registers{static_cast<uintptr_t>(machine->gregs[REG_RIP]), 0};
  const auto stack = static_cast<uintptr_t>(machine->gregs[REG_RSP]);
  if (registers.counter == 0 && stack != 0) registers.caller = *reinterpret_cast<const uintptr_t*>(stack);
  return registers;
#elif defined(__aarch64__)
  return {machine->pc, machine->regs[30]};
#else
  (void)machine;
  return {};
#endif
}

void OnSignal(int signal, siginfo_t* info, void* context) {
  const long thread = syscall(SYS_gettid);
  long first = 0;
  if (!g_thread.compare_exchange_strong(first, thread)) {
    if (first == thread) Farewell();  // a fault in this handler, or its time is over
    while (true) pause();             // another thread is telling already
  }
  g_signal = signal;
  alarm(2);
  // Reading a file that is shorter than its headers say: the file counts, not who read it.
  if (signal != SIGBUS || !Blame(reinterpret_cast<uintptr_t>(info->si_addr))) {
    const Registers registers = RegistersOf(context);
    const bool told = Blame(registers.counter) || (registers.counter == 0 && Blame(registers.caller));
    int frames = 0;
    if (!told) _Unwind_Backtrace(OnFrame, &frames);
  }
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

  static char stack[256 * 1024];  // a fault may be the end of the ordinary one
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

/* The handler runs in a process about which nothing is certain any more: it calls nothing but the kernel,
 * touches no memory that it has not asked for, and keeps little on the stack. Then it takes itself away and
 * returns: a faulting instruction faults again, and a signal that was sent is sent again with all that it
 * carried, so the process ends where and as it would have ended, with the same core. A stack that has
 * overflown has no room for a handler; the kernel ends the process then, and nothing is noted. */
#include "crash.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "system_calls.h"
#include "tell.h"
#include "run/witness/journal_writer.h"

enum {
  kWordsLookedAt = 4096,
  kWordsKept = 48,
};

/* As the kernel has it; libc's is another one. */
struct KernelAction {
  void (*handler)(int, siginfo_t*, void*);
  unsigned long flags;
  void (*restorer)(void);
  uint64_t mask;
};

static long SetAction(int signal, const struct KernelAction* action, struct KernelAction* old) {
  return SystemCall4(__NR_rt_sigaction, signal, (long)action, (long)old, sizeof(uint64_t));
}

#if defined(__x86_64__)
#define ACTION_FLAGS (SA_SIGINFO | SA_ONSTACK | 0x04000000 /* SA_RESTORER */)
/* The kernel of x86-64 has no way of its own back from a handler. */
void CulpritReturnFromSignal(void);
__asm__(
    ".text\n"
    ".hidden CulpritReturnFromSignal\n"
    ".globl CulpritReturnFromSignal\n"
    ".type CulpritReturnFromSignal, @function\n"
    "CulpritReturnFromSignal:\n"
    "  mov $15, %eax\n" /* rt_sigreturn */
    "  syscall\n"
    ".size CulpritReturnFromSignal, .-CulpritReturnFromSignal\n");
#define RESTORER CulpritReturnFromSignal

static uintptr_t ProgramCounter(const ucontext_t* context) {
  return (uintptr_t)context->uc_mcontext.gregs[16 /* REG_RIP */];
}
static uintptr_t StackPointer(const ucontext_t* context) {
  return (uintptr_t)context->uc_mcontext.gregs[15 /* REG_RSP */];
}
static uintptr_t LinkRegister(const ucontext_t* context) {
  (void)context;
  return 0;
}

/* A return address stands behind a call: e8 and four bytes, or ff /2 with its operand. */
static int FollowsCall(uintptr_t address) {
  unsigned char code[7];
  if (Peek(address - sizeof code, code, sizeof code) != sizeof code) return 0;
  if (code[2] == 0xe8) return 1;
  return (code[5] == 0xff && (code[6] & 0x38) == 0x10) || (code[4] == 0xff && (code[5] & 0xf8) == 0x50) ||
         (code[4] == 0xff && code[5] == 0x14) || (code[3] == 0xff && code[4] == 0x54) ||
         (code[1] == 0xff && (code[2] & 0x38) == 0x10) || (code[0] == 0xff && code[1] == 0x94);
}
#else
#define ACTION_FLAGS (SA_SIGINFO | SA_ONSTACK)
#define RESTORER NULL

static uintptr_t ProgramCounter(const ucontext_t* context) { return context->uc_mcontext.pc; }
static uintptr_t StackPointer(const ucontext_t* context) { return context->uc_mcontext.sp; }
static uintptr_t LinkRegister(const ucontext_t* context) { return context->uc_mcontext.regs[30]; }

/* A return address stands behind bl or blr. */
static int FollowsCall(uintptr_t address) {
  uint32_t code;
  if (address % 4 != 0 || Peek(address - 4, &code, sizeof code) != sizeof code) return 0;
  return (code & 0xfc000000u) == 0x94000000u || (code & 0xfffffc1fu) == 0xd63f0000u;
}
#endif

static void Note(int signal, const siginfo_t* info, const ucontext_t* context) {
  char numbers[4 + kWordsKept][17];
  const char* fields[4 + kWordsKept];
  fields[0] = CulpritHex((uint64_t)signal, numbers[0]);
  fields[1] = CulpritHex((uint32_t)info->si_code, numbers[1]);
  fields[2] = CulpritHex(info->si_code > 0 ? (uintptr_t)info->si_addr : 0, numbers[2]);
  fields[3] = CulpritHex(ProgramCounter(context), numbers[3]);
  size_t count = 4;
  const uintptr_t link = LinkRegister(context);
  if (link != 0 && FollowsCall(link)) {
    fields[count] = CulpritHex(link, numbers[count]);
    ++count;
  }
  const uintptr_t stack = StackPointer(context) & ~(uintptr_t)7;
  for (size_t i = 0; i < kWordsLookedAt && count < 4 + kWordsKept; ++i) {
    uintptr_t word;
    if (Peek(stack + 8 * i, &word, sizeof word) != sizeof word) break;
    if (word < 65536 || word >> 56 != 0 || !FollowsCall(word)) continue;
    fields[count] = CulpritHex(word, numbers[count]);
    ++count;
  }
  Tell(kCulpritCrash, fields, count);
}

/* Whether the fault comes again by itself. Not what was sent, nor what the kernel tells of late. */
static int ComesAgain(int signal, int code) {
  enum { kMemoryFailedSomewhere = 5 /* BUS_MCEERR_AO */, kTagFaultSomewhere = 8 /* SEGV_MTEAERR */ };
  return code > 0 && !(signal == SIGBUS && code == kMemoryFailedSomewhere) &&
         !(signal == SIGSEGV && code == kTagFaultSomewhere);
}

static void Handle(int signal, siginfo_t* info, void* context) {
  Note(signal, info, context);
  const struct KernelAction standard = {NULL /* SIG_DFL */, 0, NULL, 0};
  SetAction(signal, &standard, NULL);
  if (ComesAgain(signal, info->si_code)) return;
  /* It is blocked until the handler returns. */
  const long process = SystemCall0(__NR_getpid), thread = SystemCall0(__NR_gettid);
  if (SystemCall4(__NR_rt_tgsigqueueinfo, process, thread, signal, (long)info) != 0)
    SystemCall4(__NR_tgkill, process, thread, signal, 0);
}

void NoteCrashes(void) {
  static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i) {
    struct KernelAction old = {NULL, 0, NULL, 0};
    if (SetAction(signals[i], NULL, &old) != 0 || old.handler != NULL) continue;
    const struct KernelAction action = {Handle, ACTION_FLAGS, RESTORER, ~(uint64_t)0};
    SetAction(signals[i], &action, NULL);
  }
}

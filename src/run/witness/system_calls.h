/* System calls without libc. The result is what the kernel returns: -errno for an error. */
#ifndef CULPRIT_WITNESS_SYSTEM_CALLS_H_
#define CULPRIT_WITNESS_SYSTEM_CALLS_H_

#include <asm/unistd.h>

#if !defined(__x86_64__) && !defined(__aarch64__)
#error "add the system call of this machine"
#endif

static inline long SystemCall6(long number, long a, long b, long c, long d, long e, long f) {
#if defined(__x86_64__)
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
#else
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
#endif
}

static inline long SystemCall4(long number, long a, long b, long c, long d) {
  return SystemCall6(number, a, b, c, d, 0, 0);
}

static inline long SystemCall0(long number) { return SystemCall6(number, 0, 0, 0, 0, 0, 0); }

#endif

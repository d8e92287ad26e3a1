// What glibc derives from the CPU, read from the same places as glibc does.
//
// x86-64: init_cpu_features() (glibc sysdeps/x86/cpu-features.c, 2.27 up to 2.42 at least) replaces
// AT_PLATFORM by "haswell" or "xeon_phi" on Intel CPUs that have the features; AMD keeps "x86_64". The
// replaced name is what $PLATFORM stands for in every version. Up to 2.36 it also names a sub-directory of
// each searched directory, together with the hwcap bits x86_64 (always set) and avx512_1; 2.37 removed these
// sub-directories. The glibc-hwcaps levels (2.33 and later) are cumulative: v3 implies v2.
//
// aarch64: AT_PLATFORM as it is; up to 2.36 the bit HWCAP_ATOMICS of AT_HWCAP names a sub-directory "atomics"
// (sysdeps/unix/sysv/linux/aarch64/dl-procinfo.h). No glibc-hwcaps levels exist.
#include "system/host_cpu.h"

#include <sys/auxv.h>
#include <sys/utsname.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <asm/hwcap.h>
#endif

namespace culprit::system {
namespace {

#if defined(__x86_64__)

// Xeon Phi's own two; compilers drop their names together with that CPU. Both need the AVX-512 state that
// __builtin_cpu_supports("avx512cd") has checked.
bool HasCpuidLeaf7Ebx(unsigned bit) {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && ((ebx >> bit) & 1u) != 0;
}

void AddArchitectureFacts(base::Cpu& cpu) {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) cpu.isa_levels.emplace_back("x86-64-v4");
  if (__builtin_cpu_supports("x86-64-v3")) cpu.isa_levels.emplace_back("x86-64-v3");
  if (__builtin_cpu_supports("x86-64-v2")) cpu.isa_levels.emplace_back("x86-64-v2");

  cpu.legacy_caps.emplace_back("x86_64");
  if (!__builtin_cpu_is("intel")) return;
  const bool avx512cd = __builtin_cpu_supports("avx512cd");
  const bool avx512er = avx512cd && HasCpuidLeaf7Ebx(27);
  const bool avx512pf = avx512cd && HasCpuidLeaf7Ebx(26);
  if (avx512cd && !avx512er && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    cpu.legacy_caps.emplace_back("avx512_1");
  }
  if (avx512er && avx512pf) {
    cpu.platform = "xeon_phi";
  } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
             __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
             __builtin_cpu_supports("lzcnt") && __builtin_cpu_supports("movbe") &&
             __builtin_cpu_supports("popcnt")) {
    cpu.platform = "haswell";
  }
}

#elif defined(__aarch64__)

void AddArchitectureFacts(base::Cpu& cpu) {
  if ((getauxval(AT_HWCAP) & HWCAP_ATOMICS) != 0) cpu.legacy_caps.emplace_back("atomics");
}

#else

void AddArchitectureFacts(base::Cpu&) {}

#endif

}  // namespace

uint64_t HostPageSize() { return static_cast<uint64_t>(sysconf(_SC_PAGESIZE)); }

base::Cpu ReadHostCpu() {
  base::Cpu cpu;
  utsname names;
  if (uname(&names) == 0) cpu.machine = names.machine;
  // The kernel hands over an address in a number. NOLINTNEXTLINE(performance-no-int-to-ptr)
  if (const auto* platform = reinterpret_cast<const char*>(getauxval(AT_PLATFORM))) cpu.platform = platform;
  cpu.page_size = HostPageSize();
  AddArchitectureFacts(cpu);
  return cpu;
}

}  // namespace culprit::system

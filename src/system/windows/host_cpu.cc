// On Windows no directory or name depends on the CPU's features: its kind is all there is to tell.
#include "system/host_cpu.h"

#include <windows.h>

namespace culprit::system {
namespace {

SYSTEM_INFO Info() {
  SYSTEM_INFO info{};
  GetNativeSystemInfo(&info);
  return info;
}

}  // namespace

uint64_t HostPageSize() { return Info().dwPageSize; }

base::Cpu ReadHostCpu() {
  constexpr WORD kArm64 = 12;  // PROCESSOR_ARCHITECTURE_ARM64
  base::Cpu cpu;
  const SYSTEM_INFO info = Info();
  cpu.page_size = info.dwPageSize;
  switch (info.wProcessorArchitecture) {
    case PROCESSOR_ARCHITECTURE_AMD64:
      cpu.machine = "x86_64";
      break;
    case kArm64:
      cpu.machine = "aarch64";
      break;
    case PROCESSOR_ARCHITECTURE_INTEL:
      cpu.machine = "i686";
      break;
    default:
      break;
  }
  return cpu;
}

}  // namespace culprit::system

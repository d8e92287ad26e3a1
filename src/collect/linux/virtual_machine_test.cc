#include "collect/linux/virtual_machine.h"

#include <gtest/gtest.h>

#include "system/memory.h"

namespace culprit::collect {
namespace {

constexpr const char* kGuest = "processor\t: 0\nflags\t\t: fpu sse hypervisor avx\n";
constexpr const char* kBare = "processor\t: 0\nflags\t\t: fpu sse avx\n";

std::string Found(const char* cpu, const char* vendor) {
  system::MemorySystem system;
  if (cpu != nullptr) system.AddFile("/proc/cpuinfo", cpu);
  if (vendor != nullptr) system.AddFile("/sys/class/dmi/id/sys_vendor", std::string(vendor) + "\n");
  return FindVirtualMachine(system).hypervisor;
}

TEST(VirtualMachine, ByTheFlagAndTheFirmware) {
  EXPECT_EQ(Found(kGuest, "QEMU"), "KVM");
  EXPECT_EQ(Found(kGuest, "VMware, Inc."), "VMware");
  EXPECT_EQ(Found(kGuest, "Amazon EC2"), "Amazon EC2");
  EXPECT_EQ(Found(kGuest, nullptr), "unknown hypervisor");
}

TEST(VirtualMachine, HardwareIsNone) {
  EXPECT_EQ(Found(kBare, "Dell Inc."), "");
  EXPECT_EQ(Found(kBare, "Amazon EC2"), "");  // a .metal instance
  EXPECT_EQ(Found(nullptr, "Microsoft Corporation"), "");
  EXPECT_EQ(Found(nullptr, "QEMU"), "KVM");  // an Arm CPU has no such flag
}

TEST(VirtualMachine, XenButNotItsFirstDomain) {
  system::MemorySystem system;
  system.AddFile("/sys/hypervisor/type", "xen\n");
  EXPECT_EQ(FindVirtualMachine(system).hypervisor, "Xen");
  system.AddFile("/proc/xen/capabilities", "control_d\n");
  EXPECT_EQ(FindVirtualMachine(system).hypervisor, "");
}

TEST(VirtualMachine, NamesOfVirtualGpus) {
  for (const char* name : {"GRID T4-16Q", "NVIDIA A40-48Q", "NVIDIA A100-1-5C", "GRID M60-2B"})
    EXPECT_TRUE(IsVirtualGpuName(name)) << name;
  for (const char* name :
       {"NVIDIA H100 80GB HBM3", "NVIDIA A100-SXM4-80GB", "Tesla V100-SXM2-32GB", "NVIDIA A40", ""})
    EXPECT_FALSE(IsVirtualGpuName(name)) << name;
}

}  // namespace
}  // namespace culprit::collect

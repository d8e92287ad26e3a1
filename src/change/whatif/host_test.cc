// Drivers, modules and containers in the mind: what is claimed of a host, and what is not.
#include <gtest/gtest.h>

#include "binfmt/elf/write.h"
#include "change/whatif/carry_out.h"
#include "system/memory.h"

namespace culprit::whatif {
namespace {

using system::MemorySystem;
using system::System;

class Host : public testing::Test {
 protected:
  Host() {
    before.SetCpu({.machine = "x86_64", .platform = "x86_64"});
    before.AddFile("/proc/modules", "ext4 1 0 - Live 0x0\n");
    before.AddFile("/usr/lib/x86_64-linux-gnu/libc.so.6", binfmt::BuildElf({.soname = "libc.so.6"}));
    AddGpu("0000:19:00.0", "0x2330", "");  // H100
  }
  void AddGpu(const std::string& bus_id, const std::string& device, const std::string& driver) {
    const std::string path = "/sys/bus/pci/devices/" + bus_id;
    before.AddFile(path + "/vendor", "0x10de\n");
    before.AddFile(path + "/class", "0x030200\n");
    before.AddFile(path + "/device", device + "\n");
    if (!driver.empty()) before.AddLink(path + "/driver", "../../drivers/" + driver);
  }
  std::shared_ptr<const System> Now(std::vector<report::Change> changes) {
    auto machine = CarryOut({std::shared_ptr<const void>(), &before}, changes);
    if (machine) return *machine;
    ADD_FAILURE() << machine.error().message;
    return {std::shared_ptr<const void>(), &before};
  }
  std::string Why(std::vector<report::Change> changes) {
    const auto machine = CarryOut({std::shared_ptr<const void>(), &before}, changes);
    return machine ? "" : machine.error().message;
  }
  static std::string Read(const System& machine, const std::string& path) {
    return system::ReadWholeFile(machine, path, 4096).value_or("(none)");
  }
  static bool Holds(const System& machine, const std::string& bus_id) {
    return machine.Stat("/proc/driver/nvidia/gpus/" + bus_id + "/information").has_value();
  }

  MemorySystem before;
};

TEST_F(Host, ADriverTakesThePlaceOfTheOneThatWasThere) {
  const std::string libraries = "/usr/lib/x86_64-linux-gnu/";
  before.AddFile(libraries + "libcuda.so.535.104.05", "x");
  before.AddLink(libraries + "libcuda.so.1", "libcuda.so.535.104.05");
  const auto now = Now({report::InstallDriver{"580.95.05"}});
  EXPECT_EQ(now->ReadLink(libraries + "libcuda.so.1"), "libcuda.so.580.95.05");
  EXPECT_TRUE(now->Stat(libraries + "libnvidia-ml.so.1"));
  EXPECT_FALSE(now->LinkStat(libraries + "libcuda.so.535.104.05"));
  EXPECT_EQ(Read(*now, "/sys/module/nvidia/version"), "580.95.05\n");
  EXPECT_EQ(Read(*now, "/proc/modules").substr(0, 10), "nvidia_uvm");
  for (const char* node : {"/dev/nvidiactl", "/dev/nvidia0", "/dev/nvidia-uvm"})
    EXPECT_TRUE(now->Stat(node)) << node;
  EXPECT_TRUE(Holds(*now, "0000:19:00.0"));
  EXPECT_FALSE(now->Stat("/etc/ld.so.cache")) << "a machine without a cache does not get one";
}

TEST_F(Host, ADriverDoesNotHoldWhatItDoesNotDrive) {
  AddGpu("0000:81:00.0", "0x102d", "");  // K80: up to branch 470
  AddGpu("0000:82:00.0", "0x2330", "vfio-pci");
  const auto now = Now({report::InstallDriver{"580.95.05"}});
  EXPECT_TRUE(Holds(*now, "0000:19:00.0"));
  EXPECT_FALSE(Holds(*now, "0000:81:00.0"));
  EXPECT_FALSE(Holds(*now, "0000:82:00.0")) << "a virtual machine has it";
  const auto old = Now({report::InstallDriver{"470.57.02"}});
  EXPECT_FALSE(Holds(*old, "0000:19:00.0"));
  EXPECT_TRUE(Holds(*old, "0000:81:00.0"));
}

TEST_F(Host, AModuleTakesNoGpuFromAnotherDriverAndMakesNoNodes) {
  AddGpu("0000:81:00.0", "0x2330", "nouveau");
  const report::LoadModule module{"nvidia", "580.95.05"};
  const auto now = Now({module});
  EXPECT_TRUE(Holds(*now, "0000:19:00.0"));
  EXPECT_FALSE(Holds(*now, "0000:81:00.0"));
  EXPECT_FALSE(now->Stat("/dev/nvidia0"));
  EXPECT_TRUE(Holds(*Now({report::BindGpu{"0000:81:00.0", "nvidia"}, module}), "0000:81:00.0"));
  EXPECT_NE(Why({report::LoadModule{"nvidia", ""}}).find("not known"), std::string::npos);
}

TEST_F(Host, AContainerIsGivenLibrariesAndNodesAndNoModule) {
  AddGpu("0000:19:00.0", "0x2330", "nvidia");
  const auto now = Now({report::StartContainer{"580.95.05"}});
  EXPECT_TRUE(now->Stat("/usr/lib/x86_64-linux-gnu/libcuda.so.1"));
  EXPECT_TRUE(now->Stat("/dev/nvidia0"));
  EXPECT_TRUE(Holds(*now, "0000:19:00.0"));
  EXPECT_FALSE(now->Stat("/sys/module/nvidia"));
}

TEST_F(Host, TheKernelKeepsFifteenLettersOfAProcess) {
  before.AddFile("/proc/1/comm", "systemd\n");
  EXPECT_EQ(Read(*Now({report::StartProcess{"nvidia-fabricmanager"}}), "/proc/2/comm"), "nv-fabricmanage\n");
}

TEST_F(Host, ALineOfTheLoadersConfigurationGoesInEverySpelling) {
  before.AddFile("/etc/ld.so.conf", "include ld.so.conf.d/*.conf\n/usr/local/cuda/compat/\n/opt/lib");
  before.AddFile("/etc/ld.so.conf.d/a.conf", "# /usr/local/cuda/compat\n/usr/local/cuda/compat # why\n/x\n");
  const auto now = Now({report::DropFromLoaderConf{"/usr/local/cuda/compat"}});
  EXPECT_EQ(Read(*now, "/etc/ld.so.conf"), "include ld.so.conf.d/*.conf\n/opt/lib");
  EXPECT_EQ(Read(*now, "/etc/ld.so.conf.d/a.conf"), "# /usr/local/cuda/compat\n/x\n");
  EXPECT_NE(Why({report::DropFromLoaderConf{"/y"}}).find("/y"), std::string::npos);
}

TEST(SaidHost, ADriverThatIsInstalledThereChangesNoFile) {
  std::vector<report::Change> changes = {report::InstallDriver{"580.95.05"}, report::UnsetVariable{"X"}};
  EXPECT_EQ(SaidHostAfter("driver=535.104.05,gpu=sm_90", changes),
            "driver=535.104.05,gpu=sm_90,driver=580.95.05");
  EXPECT_EQ(changes, std::vector<report::Change>{report::UnsetVariable{"X"}});
  changes = {report::InstallDriver{"580.95.05"}};
  EXPECT_EQ(SaidHostAfter("gpu=sm_90", changes), "gpu=sm_90");
  EXPECT_EQ(changes.size(), 1u);
}

}  // namespace
}  // namespace culprit::whatif

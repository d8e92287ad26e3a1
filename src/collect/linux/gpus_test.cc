// GPUs from the PCI bus and from the driver.
#include <gtest/gtest.h>

#include "collect/stack.h"
#include "system/memory.h"

namespace culprit::collect {
namespace {

using snapshot::FactState;
using system::MemorySystem;

auto FindGpus(const MemorySystem& system, bool host_unseen = false) {
  return CollectGpus({.system = system,
                      .environment = {},
                      .working_directory = "/",
                      .python = "",
                      .host_unseen = host_unseen});
}

void AddPci(MemorySystem& system, const std::string& bus_id, const std::string& device,
            const std::string& driver, const std::string& pci_class = "0x030200") {
  const std::string path = "/sys/bus/pci/devices/" + bus_id;
  system.AddFile(path + "/vendor", "0x10de\n");
  system.AddFile(path + "/device", "0x" + device + "\n");
  system.AddFile(path + "/class", pci_class + "\n");
  if (!driver.empty()) system.AddLink(path + "/driver", "../../../bus/pci/drivers/" + driver);
}

void AddInformation(MemorySystem& system, const std::string& bus_id, const std::string& minor) {
  system.AddFile(
      "/proc/driver/nvidia/gpus/" + bus_id + "/information",
      "Model: \t\t NVIDIA H200\nIRQ:   \t\t 57\nGPU UUID: \t GPU-0e1f\nDevice Minor: \t " + minor + "\n");
}

TEST(Gpus, TheDriverNamesWhatTheBusShows) {
  MemorySystem system;
  AddPci(system, "0000:19:00.0", "2335", "nvidia");
  AddPci(system, "0000:05:00.0", "22a3", "nvidia-nvswitch", "0x068000");
  AddInformation(system, "0000:19:00.0", "3");
  const auto gpus = FindGpus(system);
  ASSERT_EQ(gpus->size(), 1u);
  EXPECT_EQ((*gpus)[0].name, "NVIDIA H200");
  EXPECT_EQ((*gpus)[0].device_id, "2335");
  EXPECT_EQ((*gpus)[0].uuid, "GPU-0e1f");
  EXPECT_EQ((*gpus)[0].minor, "3");
  EXPECT_EQ((*gpus)[0].bound_to, "nvidia");
  EXPECT_EQ((*gpus)[0].chip, "GH100");
  EXPECT_EQ((*gpus)[0].compute_capability, "9.0");
}

TEST(Gpus, WithoutTheDriverTheListOfIdsNamesIt) {
  MemorySystem system;
  AddPci(system, "0000:01:00.0", "1b80", "nouveau", "0x030000");
  system.AddFile(
      "/usr/share/misc/pci.ids",
      "# ids\n10dd  Other\n\t1b80  Not this\n10de  NVIDIA Corporation\n\t1b80  GP104 [GeForce GTX 1080]\n"
      "\t\t1043 8591  GTX 1080 Strix\n10df  Emulex\n\t1b81  wrong\n");
  EXPECT_EQ((*FindGpus(system))[0].name, "GP104 [GeForce GTX 1080]");
  EXPECT_EQ((*FindGpus(system))[0].bound_to, "nouveau");
  AddPci(system, "0000:02:00.0", "1b81", "");
  EXPECT_EQ((*FindGpus(system))[1].name, "");
}

TEST(Gpus, ContainerCountsTheGpusThatItWasGiven) {
  MemorySystem system;
  AddPci(system, "0000:19:00.0", "2335", "nvidia");
  AddPci(system, "0000:1a:00.0", "2335", "nvidia");
  AddInformation(system, "0000:1a:00.0", "1");
  EXPECT_EQ(FindGpus(system)->size(), 2u);
  system.AddFile("/.dockerenv");
  ASSERT_EQ(FindGpus(system)->size(), 1u);
  EXPECT_EQ((*FindGpus(system))[0].bus_id, "0000:1a:00.0");
}

TEST(Gpus, BusWithoutGpuIsAnEmptyListAndNoSysIsNotKnown) {
  MemorySystem system;
  EXPECT_EQ(FindGpus(system).state, FactState::kUnreadable);
  system.AddDirectory("/sys/bus/pci/devices");
  ASSERT_TRUE(FindGpus(system));
  EXPECT_TRUE(FindGpus(system)->empty());
}

TEST(Gpus, WslAndJetsonSayWhyNoneIsSeen) {
  MemorySystem wsl;
  wsl.AddDirectory("/sys/bus/pci/devices");
  wsl.AddFile("/proc/sys/kernel/osrelease", "5.15.167.4-microsoft-standard-WSL2\n");
  EXPECT_EQ(FindGpus(wsl).state, FactState::kUnreadable);
  EXPECT_NE(FindGpus(wsl).why.find("WSL"), std::string::npos);
  MemorySystem jetson;
  jetson.AddDirectory("/sys/bus/pci/devices");
  jetson.AddFile("/etc/nv_tegra_release", "# R36 (release), REVISION: 4.3, GCID: 1\n");
  EXPECT_EQ(FindGpus(jetson).state, FactState::kUnreadable);
  jetson.AddFile("/proc/device-tree/compatible",
                 std::string("nvidia,p3768-0000+p3767-0005\0nvidia,tegra234\0", 45));
  ASSERT_TRUE(FindGpus(jetson));
  EXPECT_EQ((*FindGpus(jetson))[0].compute_capability, "8.7");
}

TEST(Gpus, AnotherRootHasNone) {
  MemorySystem system;
  AddPci(system, "0000:19:00.0", "2335", "nvidia");
  EXPECT_EQ(FindGpus(system, true).state, FactState::kNotApplicable);
}

}  // namespace
}  // namespace culprit::collect

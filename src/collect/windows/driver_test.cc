// Driver, GPUs and circumstances of machines with Windows.
#include <gtest/gtest.h>

#include "collect/windows/stack.h"
#include "collect/windows/test_windows.h"

namespace culprit::collect {
namespace {

using snapshot::FactState;

const std::string kClass =
    "HKLM/SYSTEM/CurrentControlSet/Control/Class/{4d36e968-e325-11ce-bfc1-08002be10318}";

TEST(WindowsDriver, TheLastFiveDigitsAreNvidiasNumber) {
  EXPECT_EQ(NvidiaVersion("32.0.15.6094"), "560.94");
  EXPECT_EQ(NvidiaVersion("27.21.14.6109"), "461.09");
  EXPECT_EQ(NvidiaVersion("26.21.14.32"), "400.32");
  EXPECT_EQ(NvidiaVersion("8.17.15.5222"), "552.22");  // of nvml.dll
  EXPECT_EQ(NvidiaVersion("32.0.15"), "");
  EXPECT_EQ(NvidiaVersion("32.0.10.6094"), "");
  EXPECT_EQ(NvidiaVersion("32.0.15.60944"), "");
  EXPECT_EQ(NvidiaVersion("32.0.15.60b"), "");
}

TEST(WindowsDriver, VersionOfTheFileThatProgramsLoad) {
  WindowsMachine machine;
  machine.AddWindows();
  machine.system.AddFile(std::string(kSystem32) + "nvcuda.dll", Dll("nvcuda.dll", "32.0.15.6094"));
  machine.system.AddFile(std::string(kSystem32) + "nvml.dll", Dll("nvml.dll", "8.17.15.6094"));
  machine.system.AddFile(std::string(kSystem32) + "nvapi64.dll", Dll("nvapi64.dll", "32.0.15.6094"));
  machine.system.AddFile(
      std::string(kSystem32) + "DriverStore/FileRepository/nv_dispi.inf_amd64_01/nvcuda64.dll",
      Dll("nvcuda.dll", "31.0.15.3623"));
  machine.system.AddFile("/C:/app/nvcuda.dll", Dll("nvcuda.dll", "30.0.14.9613"));
  machine.variables["PATH"] = "C:\\app";
  const auto driver = CollectWindowsDriver(machine.Around());
  ASSERT_TRUE(driver);
  ASSERT_TRUE(driver->kernel_version);
  EXPECT_EQ(*driver->kernel_version, "560.94");
  EXPECT_EQ(driver->kernel_version.source, "/C:/Windows/System32/nvcuda.dll");
  ASSERT_EQ(driver->libraries.size(), 4u);
  EXPECT_EQ(driver->libraries[0].name, "nvcuda.dll");
  EXPECT_EQ(driver->libraries[0].kind, snapshot::DriverLibraryKind::kDriver);
  EXPECT_EQ(driver->libraries[2].kind, snapshot::DriverLibraryKind::kStore);
  EXPECT_EQ(driver->libraries[2].version, "536.23");
  EXPECT_EQ(driver->libraries[3].kind, snapshot::DriverLibraryKind::kCopy);
  EXPECT_EQ(driver->modules.state, FactState::kNotApplicable);
  EXPECT_EQ(driver->nodes.state, FactState::kNotApplicable);
}

TEST(WindowsDriver, TheRegistryTellsWhereTheFileDoesNot) {
  WindowsMachine machine;
  machine.AddWindows();
  machine.system.AddFile(std::string(kSystem32) + "nvcuda.dll", binfmt::BuildPe({}));
  EXPECT_EQ(CollectWindowsDriver(machine.Around())->kernel_version.state, FactState::kUnreadable);
  machine.system.AddRegistryKey(
      kClass + "/0000", {{"MatchingDeviceId", "PCI\\VEN_8086&DEV_1"}, {"DriverVersion", "31.0.101.4255"}});
  machine.system.AddRegistryKey(
      kClass + "/0001", {{"MatchingDeviceId", "PCI\\VEN_10DE&DEV_2684"}, {"DriverVersion", "31.0.15.3623"}});
  const auto driver = CollectWindowsDriver(machine.Around());
  ASSERT_TRUE(driver->kernel_version);
  EXPECT_EQ(*driver->kernel_version, "536.23");
  EXPECT_EQ(driver->kernel_version.source, kClass + "/0001");
}

TEST(WindowsDriver, NoDriverAndNoWindowsAreTwoThings) {
  WindowsMachine machine;
  machine.host_unseen = true;
  machine.system.AddDirectory("/C:/app");
  EXPECT_EQ(CollectWindowsDriver(machine.Around())->kernel_version.state, FactState::kNotApplicable);
  machine.AddWindows();  // a disk that was mounted: its driver's files would be there
  EXPECT_EQ(CollectWindowsDriver(machine.Around())->kernel_version.state, FactState::kAbsent);
  EXPECT_EQ(CollectWindowsGpus(machine.Around()).state, FactState::kNotApplicable);
}

TEST(WindowsGpus, ThoseThatTheDriverHolds) {
  WindowsMachine machine;
  const std::string set = "HKLM/SYSTEM/CurrentControlSet/";
  const std::string id = "VEN_10DE&DEV_2684&SUBSYS_16F3&REV_A1", place = "4&1d81e16&0&0008";
  machine.system.AddRegistryKey(set + "Services/nvlddmkm/Enum",
                                {{"0", "PCI\\" + id + "\\" + place}, {"Count", "1"}, {"NextInstance", "1"}});
  machine.system.AddRegistryKey(
      set + "Enum/PCI/" + id + "/" + place,
      {{"Driver", "{4d36e968-e325-11ce-bfc1-08002be10318}\\0001"},
       {"DeviceDesc", "@oem3.inf,%nvidia_dev.2684%;NVIDIA from the device"},
       {"LocationInformation", "@System32\\drivers\\pci.sys,#65536;PCI bus %1, device %2;(26,0,0)"}});
  machine.system.AddRegistryKey(
      kClass + "/0000", {{"MatchingDeviceId", "PCI\\VEN_10DE&DEV_1B80"}, {"DriverDesc", "taken out"}});
  machine.system.AddRegistryKey(kClass + "/0001", {{"MatchingDeviceId", "PCI\\VEN_10DE&DEV_2684"},
                                                   {"DriverDesc", "NVIDIA GeForce RTX 4090"},
                                                   {"AdapterType", "1"}});
  const auto gpus = CollectWindowsGpus(machine.Around());
  ASSERT_TRUE(gpus);
  ASSERT_EQ(gpus->size(), 1u);
  const snapshot::Gpu& gpu = gpus->front();
  EXPECT_EQ(gpu.name, "NVIDIA GeForce RTX 4090");
  EXPECT_EQ(gpu.device_id, "2684");
  EXPECT_EQ(gpu.chip, "AD102");
  EXPECT_EQ(gpu.compute_capability, "8.9");
  EXPECT_EQ(gpu.bus_id, "0000:1a:00.0");
  EXPECT_EQ(gpu.minor, "0");
  EXPECT_EQ(gpu.driver_model, "WDDM");
}

TEST(WindowsGpus, TheClassAloneAlsoRemembersOldCardsAndSaysSo) {
  WindowsMachine machine;
  machine.system.AddRegistryKey(
      kClass + "/0000",
      {{"MatchingDeviceId", "pci\\ven_10de&dev_1eb8"}, {"DriverDesc", "Tesla T4"}, {"AdapterType", "2"}});
  machine.system.AddRegistryKey(kClass + "/0001", {{"MatchingDeviceId", "pci\\ven_8086&dev_3e92"}});
  const auto gpus = CollectWindowsGpus(machine.Around());
  ASSERT_EQ(gpus->size(), 1u);
  EXPECT_EQ(gpus->front().driver_model, "TCC");
  EXPECT_EQ(gpus->front().compute_capability, "7.5");
  EXPECT_EQ(gpus->front().minor, "");
  EXPECT_NE(gpus->front().source.find("removed"), std::string::npos);
}

TEST(WindowsGpus, NoRegistryIsNotNoGpu) {
  WindowsMachine machine;
  EXPECT_EQ(CollectWindowsGpus(machine.Around()).state, FactState::kUnreadable);
  machine.system.AddRegistryKey("HKLM/SYSTEM");
  const auto gpus = CollectWindowsGpus(machine.Around());
  ASSERT_TRUE(gpus);
  EXPECT_TRUE(gpus->empty());
}

TEST(WindowsContext, Windows11CallsItself10) {
  WindowsMachine machine;
  EXPECT_EQ(CollectWindowsContext(machine.Around())->distribution, "Windows");
  machine.system.AddRegistryKey("HKLM/SOFTWARE/Microsoft/Windows NT/CurrentVersion",
                                {{"ProductName", "Windows 10 Pro"}, {"CurrentBuildNumber", "22631"}});
  EXPECT_EQ(CollectWindowsContext(machine.Around())->distribution, "Windows 11 Pro");
}

}  // namespace
}  // namespace culprit::collect

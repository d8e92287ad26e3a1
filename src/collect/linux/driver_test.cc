// The driver as the files of a machine tell it.
#include <gtest/gtest.h>

#include "binfmt/elf/write.h"
#include "binfmt/elf/write_sections.h"
#include "collect/linux/driver_parts.h"
#include "collect/stack.h"
#include "system/memory.h"

namespace culprit::collect {
namespace {

using snapshot::Driver;
using snapshot::DriverLibrary;
using snapshot::FactState;
using system::MemorySystem;

Driver FindDriver(const MemorySystem& system, std::map<std::string, std::string> environment = {},
                  bool host_unseen = false) {
  return *CollectDriver({.system = system,
                         .environment = std::move(environment),
                         .working_directory = "/",
                         .python = "",
                         .host_unseen = host_unseen});
}

const DriverLibrary* Find(const Driver& driver, const std::string& path) {
  for (const DriverLibrary& library : driver.libraries) {
    if (library.path == path) return &library;
  }
  return nullptr;
}

void AddDriver(MemorySystem& system, const std::string& directory, const std::string& version) {
  for (const std::string family : {"libcuda.so", "libnvidia-ml.so"}) {
    system.AddFile(directory + "/" + family + "." + version, "x");
    system.AddLink(directory + "/" + family + ".1", family + "." + version);
    system.AddLink(directory + "/" + family, family + ".1");
  }
}

TEST(Driver, BothFormsOfTheVersionLineAreRead) {
  const auto old = ParseNvrmVersion(
      "NVRM version: NVIDIA UNIX x86_64 Kernel Module  470.82.00  Thu Oct 14 10:24:40 UTC 2021\nGCC "
      "version:");
  EXPECT_EQ(old.version, "470.82.00");
  EXPECT_EQ(old.flavor, "proprietary");
  const auto open = ParseNvrmVersion(
      "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (dvs-builder@U22)  "
      "Tue Sep 23 10:11:16 UTC 2025\n");
  EXPECT_EQ(open.version, "580.95.05");
  EXPECT_EQ(open.flavor, "open");
  EXPECT_EQ(ParseNvrmVersion("NVRM version: NVIDIA UNIX Kernel Module").version, "");
  EXPECT_EQ(ParseNvrmVersion("").version, "");
}

TEST(Driver, SysTellsTheLoadedVersionAndProcStandsIn) {
  MemorySystem system;
  system.AddFile("/proc/driver/nvidia/version",
                 "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build\n");
  Driver driver = FindDriver(system);
  EXPECT_EQ(*driver.kernel_version, "580.95.05");
  EXPECT_EQ(driver.kernel_version.source, "/proc/driver/nvidia/version");
  EXPECT_EQ(driver.kernel_flavor, "open");
  system.AddFile("/sys/module/nvidia/version", "580.95.05\n");
  EXPECT_EQ(FindDriver(system).kernel_version.source, "/sys/module/nvidia/version");
}

TEST(Driver, NoModuleIsAbsentAndAForbiddenOneIsNot) {
  MemorySystem system;
  EXPECT_EQ(FindDriver(system).kernel_version.state, FactState::kAbsent);
  system.AddFile("/proc/driver/nvidia/version", "x");
  system.SetUnreadable("/proc/driver/nvidia/version");
  EXPECT_EQ(FindDriver(system).kernel_version.state, FactState::kUnreadable);
}

TEST(Driver, ModulesThatMatterAreKept) {
  MemorySystem system;
  system.AddFile("/proc/modules",
                 "nvidia_uvm 1 0 - Live 0x0\next4 2 1 - Live 0x0\nnvidia 3 2 nvidia_uvm, Live 0x0\n");
  system.AddFile("/sys/module/nouveau/refcnt", "0");
  EXPECT_EQ(*FindDriver(system).modules, (std::vector<std::string>{"nouveau", "nvidia", "nvidia_uvm"}));
}

TEST(Driver, WithoutProcTheModulesAreNotKnown) {
  EXPECT_EQ(FindDriver(MemorySystem()).modules.state, FactState::kUnreadable);
}

TEST(Driver, ModuleFilesAreFoundForEveryKernelOnce) {
  MemorySystem system;
  system.AddFile("/lib/modules/6.8.0-45-generic/updates/dkms/nvidia.ko.zst", "x");
  system.AddFile("/lib/modules/6.8.0-60-generic/kernel/nvidia-580-open/nvidia.ko", "x");
  system.AddFile("/lib/modules/6.8.0-60-generic/updates/dkms/other.ko", "x");
  system.AddLink("/lib/modules/6.8.0-60-generic/updates/nvidia.ko", "../kernel/nvidia-580-open/nvidia.ko");
  const Driver driver = FindDriver(system);
  ASSERT_EQ(driver.module_files->size(), 2u);
  EXPECT_EQ((*driver.module_files)[0].kernel, "6.8.0-45-generic");
  EXPECT_EQ((*driver.module_files)[1].path, "/lib/modules/6.8.0-60-generic/updates/nvidia.ko");
}

TEST(Driver, ModuleTellsItsVersionAndSignature) {
  const std::string module = binfmt::AddSections(
      binfmt::BuildElf({}), {{".modinfo", std::string("license=Dual MIT/GPL\0version=580.95.05\0", 40)}});
  MemorySystem system;
  system.AddFile("/lib/modules/6.1/updates/dkms/nvidia.ko", module);
  system.AddFile("/lib/modules/6.2/updates/dkms/nvidia.ko",
                 module + "signature~Module signature appended~\n");
  system.AddFile("/lib/modules/6.3/updates/dkms/nvidia.ko.zst", "compressed");
  const Driver driver = FindDriver(system);
  ASSERT_EQ(driver.module_files->size(), 3u);
  EXPECT_EQ((*driver.module_files)[0].version, "580.95.05");
  EXPECT_TRUE((*driver.module_files)[0].unsigned_file);
  EXPECT_EQ((*driver.module_files)[1].version, "580.95.05");
  EXPECT_FALSE((*driver.module_files)[1].unsigned_file);
  EXPECT_EQ((*driver.module_files)[2].version, "");
  EXPECT_FALSE((*driver.module_files)[2].unsigned_file);
}

TEST(Driver, CompatLibraryTellsTheBranchesOfItsNote) {
  MemorySystem system;
  system.AddFile(
      "/usr/local/cuda-13.0/compat/libcuda.so.580.65.06",
      binfmt::AddSections(
          binfmt::BuildElf({}),
          {{".note.cuda.fwd_compatibility",
            "\x13..NVIDIA Corporation{\"Format\":1,\"CUDA Version\":\"13.0\",\"Driver\":[535, 550,570],"
            "\"Device\":[]}"}}));
  system.AddLink("/usr/local/cuda-13.0/compat/libcuda.so.1", "libcuda.so.580.65.06");
  const Driver driver = FindDriver(system);
  ASSERT_EQ(driver.libraries.size(), 1u);
  EXPECT_EQ(driver.libraries[0].compat_branches, (std::vector<uint32_t>{535, 550, 570}));
}

TEST(Driver, LibraryIsNamedOnceWithTheVersionOfItsFile) {
  MemorySystem system;
  AddDriver(system, "/usr/lib/x86_64-linux-gnu", "580.95.05");
  const Driver driver = FindDriver(system);
  ASSERT_EQ(driver.libraries.size(), 2u);
  const DriverLibrary* cuda = Find(driver, "/usr/lib/x86_64-linux-gnu/libcuda.so.1");
  ASSERT_NE(cuda, nullptr);
  EXPECT_EQ(cuda->version, "580.95.05");
  EXPECT_EQ(cuda->real_path, "/usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05");
  EXPECT_EQ(cuda->kind, snapshot::DriverLibraryKind::kDriver);
  EXPECT_EQ(cuda->size, 1u);
}

TEST(Driver, EveryKindOfCopyIsTold) {
  MemorySystem system;
  AddDriver(system, "/usr/local/cuda-13.0/compat", "580.65.06");
  system.AddFile("/usr/local/cuda-13.0/lib64/stubs/libcuda.so", "x");
  system.AddFile("/usr/lib/wsl/lib/libcuda.so.1", "x");
  system.AddFile("/usr/lib/aarch64-linux-gnu/tegra/libcuda.so.1.1", "x");
  system.AddFile("/usr/local/nvidia/lib64/libcuda.so.1", "");
  AddDriver(system, "/srv/driver", "535.104.05");
  system.AddLink("/srv/link/libcuda.so.1", "/usr/local/cuda-13.0/lib64/stubs/libcuda.so");
  const Driver driver = FindDriver(system, {{"LD_LIBRARY_PATH", "/srv/driver:/srv/link"}});
  const auto kind = [&](const std::string& path) {
    const DriverLibrary* library = Find(driver, path);
    return library == nullptr ? "none" : base::Word(library->kind);
  };
  EXPECT_EQ(kind("/usr/local/cuda-13.0/compat/libcuda.so.1"), "compat");
  EXPECT_EQ(kind("/usr/local/cuda-13.0/lib64/stubs/libcuda.so"), "stub");
  EXPECT_EQ(kind("/srv/link/libcuda.so.1"), "stub");
  EXPECT_EQ(kind("/usr/lib/wsl/lib/libcuda.so.1"), "wsl");
  EXPECT_EQ(kind("/usr/lib/aarch64-linux-gnu/tegra/libcuda.so.1.1"), "tegra");
  EXPECT_EQ(kind("/usr/local/nvidia/lib64/libcuda.so.1"), "container");
  EXPECT_EQ(kind("/srv/driver/libcuda.so.1"), "driver");
  EXPECT_EQ(Find(driver, "/usr/lib/aarch64-linux-gnu/tegra/libcuda.so.1.1")->version, "");
}

TEST(Driver, LinkThatLeadsNowhereAndFileWithoutItsLinkAreKept) {
  MemorySystem system;
  system.AddLink("/usr/lib64/libcuda.so.1", "libcuda.so.470.1");
  system.AddFile("/usr/lib64/libcuda.so.580.95.05", "x");
  const Driver driver = FindDriver(system);
  ASSERT_NE(Find(driver, "/usr/lib64/libcuda.so.1"), nullptr);
  EXPECT_EQ(Find(driver, "/usr/lib64/libcuda.so.1")->real_path, "");
  ASSERT_NE(Find(driver, "/usr/lib64/libcuda.so.580.95.05"), nullptr);
  EXPECT_EQ(Find(driver, "/usr/lib64/libcuda.so.580.95.05")->version, "580.95.05");
}

TEST(Driver, NodesSayWhoMayOpenThem) {
  MemorySystem system;
  system.AddFile("/etc/group", "root:x:0:\nvideo:x:44:\n");
  system.AddDevice("/dev/nvidia0", 0660, 44);
  system.AddDevice("/dev/nvidiactl");
  system.AddFile("/dev/nvidia-uvm", "", 0666);
  system.AddDevice("/dev/nvidia-caps/nvidia-cap1", 0400);
  system.AddDevice("/dev/null");
  const Driver driver = FindDriver(system);
  ASSERT_EQ(driver.nodes->size(), 4u);
  const auto& nodes = *driver.nodes;
  EXPECT_EQ(nodes[0].path, "/dev/nvidia-caps/nvidia-cap1");
  EXPECT_EQ(nodes[1].path, "/dev/nvidia-uvm");
  EXPECT_TRUE(nodes[1].not_a_device);
  EXPECT_EQ(nodes[2].path, "/dev/nvidia0");
  EXPECT_TRUE(nodes[2].denied);
  EXPECT_EQ(nodes[2].group, "video");
  EXPECT_EQ(nodes[2].mode, 0660u);
  EXPECT_FALSE(nodes[3].denied);
}

TEST(Driver, FabricManagerMattersOnlyWhereASwitchIs) {
  MemorySystem system;
  system.AddFile("/proc/1/comm", "systemd\n");
  EXPECT_EQ(FindDriver(system).fabric_manager.state, FactState::kNotApplicable);
  system.AddFile("/sys/bus/pci/devices/0000:05:00.0/vendor", "0x10de\n");
  system.AddFile("/sys/bus/pci/devices/0000:05:00.0/device", "0x22a3\n");
  EXPECT_EQ(FindDriver(system).fabric_manager.value, false);
  system.AddFile("/proc/77/comm", "nv-fabricmanage\n");
  EXPECT_EQ(FindDriver(system).fabric_manager.value, true);
  system.AddFile("/.dockerenv");
  EXPECT_EQ(FindDriver(system).fabric_manager.state, FactState::kUnreadable);
  system.AddFile("/run/nvidia-fabricmanager/socket");
  EXPECT_EQ(FindDriver(system).fabric_manager.value, true);
}

TEST(Driver, MigInstancesAreListedWithAndWithoutComputeInstance) {
  MemorySystem system;
  system.AddFile("/proc/driver/nvidia/capabilities/gpu0/mig/gi1/ci0/access", "");
  system.AddFile("/proc/driver/nvidia/capabilities/gpu1/mig/gi2/access", "");
  EXPECT_EQ(FindDriver(system).mig_instances, (std::vector<std::string>{"gpu0/mig/gi1/ci0", "gpu1/mig/gi2"}));
}

TEST(Driver, ParametersAreReadByName) {
  MemorySystem system;
  system.AddFile("/proc/driver/nvidia/params", "ModifyDeviceFiles: 0\nRegistryDwords: \"\"\n");
  EXPECT_EQ(FindDriver(system).parameters.at("ModifyDeviceFiles"), "0");
}

TEST(Driver, AnotherRootSaysNothingOfTheHost) {
  MemorySystem system;
  system.AddFile("/sys/module/nvidia/version", "580.95.05\n");
  system.AddDevice("/dev/nvidia0");
  AddDriver(system, "/usr/lib64", "580.95.05");
  const Driver driver = FindDriver(system, {}, /*host_unseen=*/true);
  EXPECT_EQ(driver.kernel_version.state, FactState::kNotApplicable);
  EXPECT_EQ(driver.modules.state, FactState::kNotApplicable);
  EXPECT_EQ(driver.nodes.state, FactState::kNotApplicable);
  EXPECT_EQ(driver.fabric_manager.state, FactState::kNotApplicable);
  EXPECT_EQ(driver.libraries.size(), 2u);
}

}  // namespace
}  // namespace culprit::collect

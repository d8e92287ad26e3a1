// The circumstances of a machine from its files and variables.
#include <gtest/gtest.h>

#include "collect/linux/container.h"
#include "collect/stack.h"
#include "system/memory.h"

namespace culprit::collect {
namespace {

using system::MemorySystem;

snapshot::Context FindContext(const MemorySystem& system,
                              std::map<std::string, std::string> environment = {}) {
  return *CollectContext(
      {.system = system, .environment = std::move(environment), .working_directory = "/", .python = ""});
}

TEST(Context, BareMachineIsNothingSpecial) {
  MemorySystem system;
  system.AddFile("/proc/1/cgroup", "0::/init.scope\n");
  system.AddFile("/proc/self/status", "Name:\tx\nUid:\t1000\t1000\t1000\t1000\n");
  system.AddFile("/etc/os-release", "ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
  system.AddFile("/proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
  const auto context = FindContext(system);
  EXPECT_EQ(context.container, "");
  EXPECT_FALSE(context.wsl);
  EXPECT_FALSE(context.root);
  EXPECT_EQ(context.distribution, "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(context.kernel, "6.1.0-18-amd64");
  EXPECT_EQ(context.jetson, "");
}

TEST(Context, EachSignOfAContainerIsNamed) {
  const auto with = [](const std::string& path, const std::string& text,
                       std::map<std::string, std::string> environment = {}) {
    MemorySystem system;
    system.AddFile(path, text);
    const auto context = FindContext(system, std::move(environment));
    return context.container + " by " + context.container_source;
  };
  EXPECT_EQ(with("/.dockerenv", ""), "docker by /.dockerenv");
  EXPECT_EQ(with("/run/.containerenv", ""), "podman by /run/.containerenv");
  EXPECT_EQ(with("/proc/1/cgroup", "11:devices:/kubepods/burstable/pod1/abc\n"),
            "kubernetes by /proc/1/cgroup");
  EXPECT_EQ(with("/proc/1/cgroup", "1:name=systemd:/docker/0123\n"), "docker by /proc/1/cgroup");
  EXPECT_EQ(with("/proc/self/mountinfo",
                 "1 2 0:3 / / rw - overlay overlay rw,upperdir=/var/lib/docker/overlay2/x/diff\n"),
            "docker by /proc/self/mountinfo");
  EXPECT_EQ(with("/etc/x", "", {{"KUBERNETES_SERVICE_HOST", "10.0.0.1"}}),
            "kubernetes by KUBERNETES_SERVICE_HOST");
  EXPECT_EQ(with("/etc/x", "", {{"APPTAINER_CONTAINER", "/x.sif"}}), "singularity by APPTAINER_CONTAINER");
}

TEST(Context, MountedDriverFilesAreTheInjectedOnes) {
  MemorySystem system;
  system.AddFile("/.dockerenv");
  system.AddFile(
      "/proc/self/mountinfo",
      "1 2 0:3 / / rw - overlay overlay rw\n"
      "2 1 8:1 /usr/lib/libcuda.so.580.95.05 /usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05 ro - ext4 "
      "/dev/sda1 ro\n"
      "3 1 8:1 /data /data\\040set rw - ext4 /dev/sda1 rw\n");
  EXPECT_EQ(FindContext(system).injected,
            std::vector<std::string>{"/usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05"});
}

TEST(Context, WslIsKnownByItsKernel) {
  MemorySystem system;
  system.AddFile("/proc/sys/kernel/osrelease", "5.15.167.4-Microsoft-standard-WSL2\n");
  EXPECT_TRUE(FindContext(system).wsl);
}

TEST(Context, AnotherRootMayBeThatOfARunningSystem) {
  MemorySystem system;
  system.AddDirectory("/proc");
  EXPECT_FALSE(ShowsItsKernel(system));
  system.AddFile("/proc/sys/kernel/osrelease", "6.1.0-28-amd64\n");
  EXPECT_TRUE(ShowsItsKernel(system));
}

TEST(Context, JetsonReleaseIsPutTogether) {
  MemorySystem system;
  system.AddFile("/etc/nv_tegra_release", "# R36 (release), REVISION: 4.3, GCID: 38968081, BOARD: generic\n");
  EXPECT_EQ(FindContext(system).jetson, "36.4.3");
}

TEST(Context, SecureBootIsTheFifthByte) {
  const std::string path = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
  MemorySystem system;
  EXPECT_EQ(FindContext(system).secure_boot, "");
  system.AddDirectory("/sys/kernel");
  EXPECT_EQ(FindContext(system).secure_boot, "off");
  system.AddDirectory("/sys/firmware/efi");
  EXPECT_EQ(FindContext(system).secure_boot, "");
  system.AddFile(path, std::string("\6\0\0\0\1", 5));
  EXPECT_EQ(FindContext(system).secure_boot, "on");
  system.AddFile(path, std::string("\6\0\0\0\0", 5));
  EXPECT_EQ(FindContext(system).secure_boot, "off");
}

TEST(Context, RootSudoAndSlurm) {
  MemorySystem system;
  system.AddFile("/proc/self/status", "Uid:\t1000\t0\t0\t0\n");
  const auto context = FindContext(system, {{"SUDO_USER", "ann"}, {"SLURM_JOB_ID", "77"}});
  EXPECT_TRUE(context.root);
  EXPECT_EQ(context.sudo_user, "ann");
  EXPECT_EQ(context.slurm_job, "77");
}

}  // namespace
}  // namespace culprit::collect

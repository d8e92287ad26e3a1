// Each collector alone on one full machine: every path that it asks for is one that it declares, or lies
// above one.
#include <gtest/gtest.h>

#include "base/text.h"
#include "binfmt/cache/write_ld_so_cache.h"
#include "binfmt/elf/write.h"
#include "collect/stack.h"
#include "collect/test_declared.h"
#include "knowledge/libraries.h"
#include "system/memory.h"

namespace culprit::collect {
namespace {

using binfmt::BuildElf;

constexpr const char* kVenv = "/home/u/project/.venv";
constexpr const char* kSite = "/home/u/project/.venv/lib/python3.12/site-packages";
constexpr const char* kConda = "/home/u/miniconda3/envs/train";
constexpr const char* kDebian = "/usr/lib/x86_64-linux-gnu";
constexpr const char* kCached = "/srv/cached";

class Reads : public testing::Test {
 protected:
  Reads() {
    AddHost();
    AddLibraries();
    AddCuda();
    AddEnvironments();
    system_.AddFile("/home/u/.ssh/id_ed25519", "secret");
    system_.AddFile("/home/u/project/train.py", "import torch\n");
    system_.AddFile("/etc/shadow", "secret");
  }

  void AddHost();
  void AddLibraries();
  void AddCuda();
  void AddEnvironments();
  void AddCudnn(const std::string& directory);

  // What a name of stack.h stands for; a list of environment variables is taken apart.
  std::vector<std::string> Meanings(const std::string& name) const {
    std::vector<std::string> sites;
    std::vector<std::string> prefixes;
    for (const auto& environment : environments_) {
      prefixes.push_back(environment.prefix);
      sites.insert(sites.end(), environment.site_packages.begin(), environment.site_packages.end());
    }
    if (name == "prefix") return prefixes;
    if (name == "site") return sites;
    if (name == "cached") return {kCached};
    if (name == "usual") {
      std::vector<std::string> directories;
      for (const std::string_view directory : knowledge::UsualDirectories())
        directories.emplace_back(directory);
      for (const std::string& site : sites) {
        for (const std::string_view below : knowledge::UsualPythonDirectories())
          directories.push_back(base::JoinPath(site, below));
      }
      return directories;
    }
    const auto found = variables_.find(name);
    return found == variables_.end() ? std::vector<std::string>() : base::SplitWords(found->second, ":");
  }

  bool Declared(const CollectorInfo& collector, const std::string& path) const {
    return IsDeclared(collector, path, [this](const std::string& name) { return Meanings(name); });
  }

  void ExpectDeclared(const CollectorInfo& collector, const std::string& must_have_read) const {
    const auto accessed = system_.accessed();
    EXPECT_TRUE(accessed.contains(must_have_read)) << collector.name << " was to read " << must_have_read;
    for (const std::string& path : accessed)
      EXPECT_TRUE(Declared(collector, path)) << collector.name << " reads " << path;
  }

  Surroundings Around() const {
    return {.system = system_, .environment = variables_, .working_directory = "/home/u/project"};
  }

  system::MemorySystem system_;
  std::map<std::string, std::string> variables_ = {
      {"HOME", "/home/u"},
      {"PATH", std::string(kVenv) + "/bin:/usr/local/cuda/bin:/usr/bin"},
      {"VIRTUAL_ENV", kVenv},
      {"CONDA_PREFIX", kConda},
      {"PYTHONPATH", "/srv/source"},
      {"CUDA_HOME", "/srv/cuda-11.8"},
      {"CUDNN_PATH", "/srv/cudnn"},
      {"CC", "ccache gcc-12"},
      {"LD_LIBRARY_PATH", "/srv/extra:/srv/none"}};
  std::vector<snapshot::PythonEnvironment> environments_ = {
      {.prefix = kVenv, .kind = snapshot::EnvironmentKind::kVenv, .site_packages = {"/srv/source", kSite}},
      {.prefix = kConda,
       .kind = snapshot::EnvironmentKind::kConda,
       .site_packages = {std::string(kConda) + "/lib/python3.11/site-packages"}},
      {.prefix = "/usr",
       .kind = snapshot::EnvironmentKind::kSystem,
       .site_packages = {"/usr/lib/python3/dist-packages"}}};
};

void Reads::AddHost() {
  system_.AddFile("/sys/module/nvidia/version", "580.95.05\n");
  system_.AddFile("/proc/driver/nvidia/version",
                  "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  x\n");
  system_.AddFile("/proc/driver/nvidia/params", "ModifyDeviceFiles: 1\n");
  system_.AddFile("/proc/driver/nvidia/capabilities/gpu0/mig/gi1/ci0/access");
  system_.AddFile("/proc/driver/nvidia/gpus/0000:19:00.0/information",
                  "Model: NVIDIA H200\nDevice Minor: 0\n");
  system_.AddFile("/proc/modules", "nvidia 1 0 - Live 0x0\n");
  system_.AddFile("/proc/sys/kernel/osrelease", "6.8.0\n");
  system_.AddFile("/proc/self/status", "Uid:\t1000\t1000\t1000\t1000\n");
  system_.AddFile("/proc/self/mountinfo", "1 0 0:1 / / rw - ext4 /dev/sda rw\n");
  system_.AddFile("/proc/1/cgroup", "0::/init.scope\n");
  system_.AddFile("/proc/1/comm", "systemd\n");
  system_.AddFile("/proc/77/comm", "bash\n");
  for (const auto& [bus_id, device, kind] : {std::array{"0000:19:00.0", "0x2335\n", "0x030200\n"},
                                             {"0000:05:00.0", "0x22a3\n", "0x068000\n"},
                                             {"0000:1a:00.0", "0x2330\n", "0x030200\n"}}) {
    const std::string path = "/sys/bus/pci/devices/" + std::string(bus_id);
    system_.AddFile(path + "/vendor", "0x10de\n");
    system_.AddFile(path + "/device", device);
    system_.AddFile(path + "/class", kind);
    system_.AddLink(path + "/driver", "../../../bus/pci/drivers/nvidia");
  }
  system_.AddFile("/lib/modules/6.8.0/updates/dkms/nvidia.ko", BuildElf({}));
  system_.AddFile("/lib/modules/6.8.0/kernel/nvidia-580/bits/nvidia.ko", BuildElf({}));
  for (const char* node : {"/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-caps/nvidia-cap1", "/dev/sda"})
    system_.AddDevice(node);
  system_.AddFile("/etc/group", "video:x:44:\n");
  system_.AddFile("/etc/os-release", "PRETTY_NAME=\"Ubuntu 24.04\"\n");
  system_.AddDirectory("/sys/firmware/efi/efivars");
}

void Reads::AddCudnn(const std::string& directory) {
  for (const char* part : {"", "_graph", "_ops", "_cnn", "_adv", "_heuristic"}) {
    const std::string soname = "libcudnn" + std::string(part) + ".so.9";
    system_.AddFile(directory + "/" + soname + ".19.0", BuildElf({.soname = soname}));
    system_.AddLink(directory + "/" + soname, soname + ".19.0");
  }
  system_.AddLink(directory + "/libcudnn.so", "libcudnn.so.8");
}

void Reads::AddLibraries() {
  for (const std::string directory : {kDebian, "/usr/local/cuda-12.4/compat", "/srv/extra", kCached}) {
    for (const char* name : {"libcuda.so", "libnvidia-ml.so", "libnvidia-ptxjitcompiler.so"}) {
      system_.AddFile(directory + "/" + name + ".580.95.05", BuildElf({.soname = std::string(name) + ".1"}));
      system_.AddLink(directory + "/" + name + ".1", std::string(name) + ".580.95.05");
    }
  }
  AddCudnn(kDebian);
  AddCudnn("/srv/extra");
  AddCudnn("/srv/cudnn/lib");
  AddCudnn(kCached);
  AddCudnn("/usr/local/cuda-12.4/targets/x86_64-linux/lib");
  AddCudnn(std::string(kSite) + "/nvidia/cudnn/lib");
  AddCudnn(std::string(kConda) + "/lib");
  system_.AddFile("/usr/include/x86_64-linux-gnu/cudnn_version_v9.h", "#define CUDNN_MAJOR 9\n");
  system_.AddFile("/var/lib/dpkg/info/libcudnn9-cuda-12.list", "/.\n");
  system_.AddFile("/var/lib/dpkg/status", "Package: a\n");
  system_.AddFile("/usr/lib/sysimage/rpm/rpmdb.sqlite");
  binfmt::LdCacheSpec cache;
  cache.entries = {{.name = "libcuda.so.1", .path = "/srv/cached/libcuda.so.1"},
                   {.name = "libcudnn.so.9", .path = "/srv/cached/libcudnn.so.9"}};
  system_.AddFile("/etc/ld.so.cache", binfmt::BuildLdCache(cache));
}

void Reads::AddCuda() {
  system_.AddFile("/usr/local/cuda-12.4/version.json", R"({"cuda": {"version": "12.4.1"}})");
  system_.AddFile("/usr/local/cuda-12.4/targets/x86_64-linux/include/cuda.h", "#define CUDA_VERSION 12040\n");
  system_.AddFile("/usr/local/cuda-12.4/bin/nvcc", "Cuda compilation tools, release 12.4, V12.4.131\n", 0755);
  system_.AddLink("/usr/local/cuda-12.4/lib64", "targets/x86_64-linux/lib");
  system_.AddLink("/usr/local/cuda", "/etc/alternatives/cuda");
  system_.AddLink("/etc/alternatives/cuda", "/usr/local/cuda-12.4");
  system_.AddFile("/srv/cuda-11.8/version.txt", "CUDA Version 11.8.89\n");
  system_.AddFile("/opt/nvidia/hpc_sdk/Linux_x86_64/24.5/cuda/12.4/bin/nvcc", "x", 0755);
  system_.AddFile("/usr/lib/cuda/lib64/libcudart.so.12", BuildElf({}));
  system_.AddFile("/usr/bin/x86_64-linux-gnu-gcc", "x", 0755);
  system_.AddLink("/usr/bin/gcc", "/etc/alternatives/gcc");
  system_.AddLink("/etc/alternatives/gcc", "/usr/bin/x86_64-linux-gnu-gcc");
  system_.AddFile("/usr/bin/ccache", "x", 0755);
  system_.AddFile("/usr/bin/gcc-12", "x", 0755);
  system_.AddDirectory("/usr/lib/gcc/x86_64-linux-gnu/13");
}

void Reads::AddEnvironments() {
  const std::string site = kSite, conda = kConda;
  system_.AddFile("/usr/bin/python3.12", BuildElf({}), 0755);
  system_.AddFile(std::string(kVenv) + "/pyvenv.cfg",
                  "home = /usr/bin\ninclude-system-site-packages = true\nversion = 3.12.4\n");
  system_.AddLink(std::string(kVenv) + "/bin/python3", "/usr/bin/python3.12");
  system_.AddDirectory("/srv/source");
  system_.AddDirectory("/usr/lib/python3/dist-packages");
  system_.AddFile(site + "/torch/__init__.py");
  system_.AddFile(site + "/torch/version.py", "__version__ = '2.6.0'\ncuda = '12.4'\n");
  system_.AddFile(site + "/torch/lib/libtorch_cuda.so", "abc");
  system_.AddFile(site + "/torch-2.6.0.dist-info/METADATA", "Name: torch\nVersion: 2.6.0\n\n");
  system_.AddFile(site + "/torch-2.6.0.dist-info/RECORD", "torch/lib/libtorch_cuda.so,sha256=x,3\n");
  system_.AddFile(site + "/nvidia_cudnn_cu12-9.19.0.56.dist-info/RECORD",
                  "nvidia/cudnn/lib/libcudnn.so.9,,\n");
  system_.AddFile(site + "/nvidia/cuda_nvcc/bin/nvcc", "x", 0755);
  system_.AddFile(site + "/more.pth", "import os\nadded\n");
  system_.AddFile(conda + "/bin/python3.11", BuildElf({}), 0755);
  system_.AddLink(conda + "/bin/python", "python3.11");
  system_.AddFile(conda + "/conda-meta/cudnn-9.19.0-h1.json", R"({"files": ["lib/libcudnn.so.9"]})");
  system_.AddDirectory(conda + "/lib/python3.11/site-packages");
  system_.AddDirectory("/opt/app/.venv");
}

TEST_F(Reads, Driver) {
  ASSERT_TRUE(CollectDriver(Around()));
  ExpectDeclared(kDriverCollector, "/srv/cached/libcuda.so.580.95.05");
}

TEST_F(Reads, Gpus) {
  ASSERT_TRUE(CollectGpus(Around()));
  ExpectDeclared(kGpusCollector, "/usr/share/hwdata/pci.ids");
}

TEST_F(Reads, Python) {
  const auto environments = CollectPython(Around());
  ASSERT_TRUE(environments);
  EXPECT_EQ(environments->front().frameworks.size(), 1u);
  ExpectDeclared(kPythonCollector, std::string(kSite) + "/torch/version.py");
}

TEST_F(Reads, Toolkits) {
  const auto toolkits = CollectToolkits(Around(), environments_);
  ASSERT_TRUE(toolkits);
  EXPECT_EQ(toolkits->copies.size(), 5u);
  ExpectDeclared(kToolkitsCollector, "/usr/lib/gcc/x86_64-linux-gnu");
}

TEST_F(Reads, Cudnn) {
  const auto copies = CollectCudnn(Around(), environments_);
  ASSERT_TRUE(copies);
  EXPECT_EQ(copies->size(), 7u);
  ExpectDeclared(kCudnnCollector, "/usr/lib/sysimage/rpm");
}

TEST_F(Reads, Context) {
  ASSERT_TRUE(CollectContext(Around()));
  ExpectDeclared(kContextCollector, "/sys/firmware/efi");
}

// A declaration that covers everything would be kept by everyone.
TEST_F(Reads, NoneDeclaresFilesOfTheUser) {
  for (const CollectorInfo& collector : Collectors(base::Platform::kLinux)) {
    for (const char* path :
         {"/home/u/.ssh/id_ed25519", "/home/u/project/train.py", "/etc/shadow", "/usr/share/doc/readme",
          "/opt/app/server", "/usr/lib/x86_64-linux-gnu/libz.so.1", "/proc/77/environ", "/proc/77/cmdline",
          "/dev/sda"}) {
      EXPECT_FALSE(Declared(collector, path)) << collector.name << " says that it reads " << path;
    }
  }
}

}  // namespace
}  // namespace culprit::collect

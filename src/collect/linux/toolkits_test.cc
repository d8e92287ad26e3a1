// The collector of toolkits on made-up machines.
#include <gtest/gtest.h>

#include "collect/stack.h"
#include "collect/toolkit/c_header.h"
#include "system/memory.h"

namespace culprit::collect {
namespace {

using snapshot::Toolkits;

std::string NvccBytes(const std::string& release, const std::string& version) {
  std::string bytes(200 << 10, '\0');
  bytes += "Cuda compilation tools, release " + release + ", V" + version + '\n';
  return bytes + std::string(1000, '\0');
}

Toolkits FindToolkits(const system::System& system, std::map<std::string, std::string> environment = {},
                      std::vector<snapshot::PythonEnvironment> environments = {}) {
  const Surroundings around{
      .system = system, .environment = std::move(environment), .working_directory = "/"};
  const auto toolkits = CollectToolkits(around, environments);
  EXPECT_TRUE(toolkits);
  return toolkits ? *toolkits : Toolkits();
}

TEST(ToolkitsCollector, ReadsVersionFromTheFileAndTellsTheLinks) {
  system::MemorySystem system;
  system.AddFile("/usr/local/cuda-12.4/version.json",
                 R"({"cuda": {"name": "CUDA SDK", "version": "12.4.1"}})");
  system.AddFile("/usr/local/cuda-12.4/bin/nvcc", NvccBytes("12.4", "12.4.131"), 0755);
  system.AddFile("/usr/local/cuda-12.4/include/cuda.h", "/* x */\n#define CUDA_VERSION 12040\n");
  system.AddLink("/usr/local/cuda", "/etc/alternatives/cuda");
  system.AddLink("/etc/alternatives/cuda", "/usr/local/cuda-12.4");
  const Toolkits toolkits = FindToolkits(system, {{"PATH", "/usr/bin:/usr/local/cuda/bin"}});
  ASSERT_EQ(toolkits.copies.size(), 1u);
  const snapshot::Toolkit& copy = toolkits.copies[0];
  EXPECT_EQ(copy.root, "/usr/local/cuda-12.4");
  EXPECT_EQ(copy.version, "12.4.1");
  EXPECT_EQ(copy.source, "/usr/local/cuda-12.4/version.json");
  EXPECT_EQ(copy.nvcc_version, "12.4.131");
  EXPECT_EQ(copy.header_version, "12.4");
  EXPECT_EQ(copy.links, (std::vector<std::string>{"/usr/local/cuda", "/etc/alternatives/cuda"}));
  EXPECT_EQ(toolkits.nvcc_on_path, "/usr/local/cuda/bin/nvcc");
}

TEST(ToolkitsCollector, OldToolkitsSayItInText) {
  system::MemorySystem system;
  system.AddFile("/usr/local/cuda-10.2/version.txt", "CUDA Version 10.2.89\n");
  EXPECT_EQ(FindToolkits(system).copies.at(0).version, "10.2.89");
}

TEST(ToolkitsCollector, WhatHoldsNothingIsNoToolkit) {
  system::MemorySystem system;
  system.AddFile("/usr/local/cuda-samples/README.md", "samples");
  system.AddDirectory("/opt/cuda");
  EXPECT_TRUE(FindToolkits(system).copies.empty());
}

TEST(ToolkitsCollector, FollowsAWrapperScriptToTheDistributionsToolkit) {
  system::MemorySystem system;
  system.AddFile("/usr/bin/nvcc", "#!/bin/sh\nexec /usr/lib/nvidia-cuda-toolkit/bin/nvcc \"$@\"\n", 0755);
  system.AddFile("/usr/lib/nvidia-cuda-toolkit/bin/nvcc", NvccBytes("11.8", "11.8.89"), 0755);
  system.AddFile("/usr/include/cuda.h", "#define CUDA_VERSION 11080");
  system.AddFile("/usr/lib/cuda/version.txt", "CUDA Version 11.8.89\n");
  system.AddLink("/usr/lib/cuda/bin", "../nvidia-cuda-toolkit/bin");
  const Toolkits toolkits = FindToolkits(system, {{"PATH", "/usr/bin"}});
  ASSERT_EQ(toolkits.copies.size(), 1u);
  EXPECT_EQ(toolkits.copies[0].kind, snapshot::ToolkitKind::kDistribution);
  EXPECT_EQ(toolkits.copies[0].version, "11.8");
  EXPECT_EQ(toolkits.copies[0].header_version, "11.8");
  EXPECT_EQ(toolkits.copies[0].links, (std::vector<std::string>{"/usr/lib/cuda"}));
}

TEST(ToolkitsCollector, EnvironmentsCountOnlyWithNvcc) {
  system::MemorySystem system;
  system.AddFile("/v/lib/python3.12/site-packages/nvidia/cu13/include/cuda.h", "#define CUDA_VERSION 13000");
  const snapshot::PythonEnvironment venv{.prefix = "/v",
                                         .kind = snapshot::EnvironmentKind::kVenv,
                                         .site_packages = {"/v/lib/python3.12/site-packages"}};
  EXPECT_TRUE(FindToolkits(system, {}, {venv}).copies.empty());
  system.AddFile("/v/lib/python3.12/site-packages/nvidia/cu13/bin/nvcc", NvccBytes("13.0", "13.0.88"), 0755);
  const Toolkits toolkits = FindToolkits(system, {}, {venv});
  ASSERT_EQ(toolkits.copies.size(), 1u);
  EXPECT_EQ(toolkits.copies[0].kind, snapshot::ToolkitKind::kPip);
}

TEST(ToolkitsCollector, ADirectoryThatCannotBeReadIsNoEmptyList) {
  system::MemorySystem system;
  system.AddDirectory("/usr/local");
  system.SetUnreadable("/usr/local");
  const Surroundings around{.system = system, .environment = {}, .working_directory = "/"};
  EXPECT_EQ(CollectToolkits(around, {}).state, snapshot::FactState::kUnreadable);
}

TEST(HostCompilers, TheVersionComesFromTheLinks) {
  system::MemorySystem system;
  system.AddFile("/usr/bin/x86_64-linux-gnu-gcc-12", "x", 0755);
  system.AddLink("/usr/bin/gcc-12", "x86_64-linux-gnu-gcc-12");
  system.AddLink("/usr/bin/gcc", "gcc-12");
  const Toolkits toolkits = FindToolkits(system, {{"PATH", "/usr/bin"}});
  ASSERT_EQ(toolkits.host_compilers.size(), 1u);
  EXPECT_EQ(toolkits.host_compilers[0].name, "gcc");
  EXPECT_EQ(toolkits.host_compilers[0].version, "12");
}

TEST(HostCompilers, OrFromTheDirectoryOfItsFilesIfThereIsOnlyOne) {
  system::MemorySystem system;
  system.AddFile("/usr/bin/gcc", "x", 0755);
  system.AddDirectory("/usr/lib/gcc/x86_64-redhat-linux/14");
  EXPECT_EQ(FindToolkits(system, {{"PATH", "/usr/bin"}}).host_compilers.at(0).version, "14");
  system.AddDirectory("/usr/lib/gcc/x86_64-redhat-linux/13");
  EXPECT_EQ(FindToolkits(system, {{"PATH", "/usr/bin"}}).host_compilers.at(0).version, "")
      << "two: cannot tell";
}

TEST(HostCompilers, NvccsOwnChoiceComesFirst) {
  system::MemorySystem system;
  system.AddFile("/usr/bin/gcc-14", "x", 0755);
  system.AddLink("/usr/bin/gcc", "gcc-14");
  system.AddFile("/usr/bin/g++-11", "x", 0755);
  const auto compilers =
      FindToolkits(system, {{"PATH", "/usr/bin"}, {"NVCC_CCBIN", "g++-11"}}).host_compilers;
  ASSERT_EQ(compilers.size(), 2u);
  EXPECT_EQ(compilers[0].version, "11");
  EXPECT_EQ(compilers[1].version, "14");
  const auto flags =
      FindToolkits(system, {{"PATH", "/usr/bin"}, {"NVCC_PREPEND_FLAGS", "-O2 -ccbin=/usr/bin/g++-11"}})
          .host_compilers;
  EXPECT_EQ(flags.at(0).version, "11");
}

TEST(CHeader, OnlyADefinitionCounts) {
  EXPECT_EQ(MacroNumber("// CUDA_VERSION 1\n#define CUDA_VERSION 13000\n", "CUDA_VERSION"), 13000u);
  EXPECT_EQ(MacroNumber("#  define  CUDA_VERSION\t12040", "CUDA_VERSION"), 12040u);
  EXPECT_FALSE(MacroNumber("#define CUDA_VERSION_X 1\n", "CUDA_VERSION"));
  EXPECT_FALSE(MacroNumber("#define CUDA_VERSION (X * 10)\n", "CUDA_VERSION"));
  EXPECT_EQ(CudaHeaderVersion("#define CUDA_VERSION 12040"), "12.4");
  EXPECT_EQ(CudnnHeaderVersion("#define CUDNN_MAJOR 9\n#define CUDNN_MINOR 19\n#define CUDNN_PATCHLEVEL 0\n"),
            "9.19.0");
}

}  // namespace
}  // namespace culprit::collect
